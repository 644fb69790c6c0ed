package httpserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
)

func direct() *clientaddress.Resolver { return clientaddress.New(environment.ClientAddress{}) }

func behindProxy() *clientaddress.Resolver {
	return clientaddress.New(environment.ClientAddress{
		TrustedProxy: true, Header: "X-Forwarded-For",
		Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
}

// serveFor serves routes that return the address that they get: all lines of the internal header.
func serveFor(t *testing.T, clients httpserver.ClientAddress) (address string, logs *observer.ObservedLogs) {
	t.Helper()
	tell := func(c *httpapi.Call) error { return c.JSON(http.StatusOK, c.Request.Header[clientaddress.Header]) }
	core, logs := observer.New(zap.DebugLevel)
	handler, err := httpserver.New(httpserver.Config{
		Routes: []httpapi.Route{
			{Method: "GET", Path: "/api/v1/open", Handle: tell},
			{Method: "GET", Path: "/api/v1/health/live", Handle: tell, OthersNotAllowed: true},
			{Method: "GET", Path: "/display/foyer", Handle: tell},
		},
		TrustedOrigins: []environment.Origin{home},
		ClientAddress:  clients,
		Log:            zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), logs
}

// rawRequest sends header lines without changes, which no client library does.
func rawRequest(t *testing.T, address, method, path string, lines ...string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", method, path,
		strings.Join(append(lines, ""), "\r\n"))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestClientAddressReachesHandlers(t *testing.T) {
	const unresolved = `{"code":"CLIENT_ADDRESS_UNRESOLVED"}`
	supplied := []string{"x-service-client-address: 203.0.113.1", "X-SERVICE-CLIENT-ADDRESS: 203.0.113.2",
		"X-Service-Client-Address: 203.0.113.3"}
	with := func(lines ...string) []string { return append(lines, supplied...) }
	for _, c := range []struct {
		name    string
		clients *clientaddress.Resolver
		path    string
		lines   []string
		status  int
		want    string
	}{
		{"direct", direct(), "/api/v1/open", nil, 200, `["127.0.0.1"]`},
		{"supplied copies", direct(), "/api/v1/open", supplied, 200, `["127.0.0.1"]`},
		{"direct looks at no forwarded header", direct(), "/api/v1/open",
			with("X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1"), 200, `["127.0.0.1"]`},
		{"proxy", behindProxy(), "/api/v1/open",
			with("X-Forwarded-For: 203.0.113.9", "x-forwarded-for: 192.0.2.1, 127.0.0.2"), 200, `["192.0.2.1"]`},
		{"no chain", behindProxy(), "/api/v1/open", supplied, 503, unresolved},
		{"malformed chain", behindProxy(), "/api/v1/open", with("X-Forwarded-For: 192.0.2.1:80"), 503, unresolved},
		{"no chain, no such route", behindProxy(), "/api/v1/nothing", nil, 503, unresolved},
		{"health asks for nothing", behindProxy(), "/api/v1/health/live", supplied, 200, `[]`},
		{"outside the API nothing is believed", behindProxy(), "/display/foyer", supplied, 200, `[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, logs := serveFor(t, c.clients)
			response, body := rawRequest(t, address, "GET", c.path, append(c.lines, "Origin: "+home)...)
			if response.StatusCode != c.status || body != c.want {
				t.Errorf("got %d %s, want %d %s", response.StatusCode, body, c.status, c.want)
			}
			if c.status == 200 {
				return
			}
			checkHeaders(t, response, row{header: map[string]string{"Origin": home}})
			if all := logs.All(); len(all) != 1 || all[0].Message != "request failed" || len(all[0].Context) != 3 ||
				all[0].ContextMap()["cause"] != "other" ||
				all[0].ContextMap()["code"] != "CLIENT_ADDRESS_UNRESOLVED" ||
				all[0].ContextMap()["request_id"] != response.Header.Get("X-Request-Id") {
				t.Errorf("logged %v, want one CLIENT_ADDRESS_UNRESOLVED with the request's id", all)
			}
		})
	}
}

func TestPreflightNeedsNoClient(t *testing.T) {
	address, _ := serveFor(t, behindProxy())
	response, _ := rawRequest(t, address, "OPTIONS", "/api/v1/open", "Origin: "+home,
		"Access-Control-Request-Method: GET")
	if response.StatusCode != http.StatusNoContent ||
		response.Header.Get("Access-Control-Allow-Origin") != home {
		t.Errorf("preflight: status %d, want 204; header %v, want the origin %s", response.StatusCode,
			response.Header, home)
	}
}

func TestNothingIsServedWithoutClientAddresses(t *testing.T) {
	if _, err := httpserver.New(httpserver.Config{Log: zap.NewNop()}); err == nil {
		t.Error("a handler came out of it")
	}
}
