package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestForeignEnvironmentChangesNothing: variables that are meant for other programs and libraries have no
// effect.
func TestForeignEnvironmentChangesNothing(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	for name, value := range map[string]string{
		"GIN_MODE": "no-such-mode", "PORT": "1",
		"PGHOST": "192.0.2.1", "PGPORT": "1", "PGUSER": "nobody", "PGPASSWORD": "x", "PGDATABASE": "none",
		"PGSSLMODE": "verify-full",
		"PGOPTIONS": "-c search_path=none", "PGSERVICE": "none", "PGPASSFILE": "/none", "PGAPPNAME": "none",
		"AWS_ACCESS_KEY_ID": "x", "AWS_REGION": "none", "HTTP_PROXY": "http://192.0.2.1:1",
		"HTTPS_PROXY": "http://192.0.2.1:1",
	} {
		i.environment[name] = value
	}
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	if got := owner.do("GET", "/api/v1/modules/base/plain", nil); got.status != http.StatusOK {
		t.Errorf("GET /api/v1/modules/base/plain: status %v, want %v; body %.200s",
			got.status, http.StatusOK, got.body)
	}
}

// TestSplitTopology: the Dashboard has a sibling origin, and only the listed origins are trusted.
func TestSplitTopology(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements")
	const dashboard = "http://dashboard.example.test"
	i.environment["SERVICE_DASHBOARD_ORIGIN"] = dashboard
	i.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = dashboard
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	for _, row := range []struct {
		origin, allowed string
		status          int
	}{
		{dashboard, dashboard, http.StatusCreated},
		{i.address, i.address, http.StatusCreated},
		{"http://other.example.test", "", http.StatusForbidden},
		{strings.ToUpper(dashboard), "", http.StatusForbidden},
		{dashboard + ":80", "", http.StatusForbidden},
		{dashboard + ".evil.test", "", http.StatusForbidden},
		{"null", "", http.StatusForbidden},
	} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", i.address+slides,
			strings.NewReader(`{"title":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Origin": {row.origin}, "Cookie": {owner.cookie},
			"Content-Type": {"application/json"}}
		response, err := owner.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		header := response.Header
		if response.StatusCode != row.status || header.Get("Access-Control-Allow-Origin") != row.allowed ||
			!strings.Contains(header.Get("Vary"), "Origin") ||
			(header.Get("Access-Control-Allow-Credentials") == "true") != (row.allowed != "") ||
			header.Get("Access-Control-Expose-Headers") != "" {
			t.Errorf("%v: status %v, want %v; Access-Control-Allow-Origin %.200q, want %.200q; Vary %.400q, want "+
				"%q in it; value %v, want %v; Access-Control-Expose-Headers %.200q, want %.200q",
				row.origin, response.StatusCode, row.status, header.Get("Access-Control-Allow-Origin"), row.allowed,
				header.Get("Vary"), "Origin", (header.Get("Access-Control-Allow-Credentials") == "true"),
				(row.allowed != ""), header.Get("Access-Control-Expose-Headers"), "")
		}
	}
}

// send writes bytes unchanged and reads one response.
func send(t *testing.T, i *installation, request string) (*http.Response, string) {
	t.Helper()
	conn := i.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
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

func (i *installation) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestTheWholeServerOnTheWire(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	i.start(t)
	for _, row := range []struct {
		name, request string
		status        int
		body          string
	}{
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404, `{"code":"NOT_FOUND"}`},
		{"absolute form", "GET http://elsewhere.example/api/v1/principal HTTP/1.1\r\nHost: x\r\n\r\n", 200,
			`{"kind":"anonymous"}`},
		{"both framing headers", "POST /api/auth/sign-in/email HTTP/1.1\r\nHost: x\r\nContent-Length: " +
			"4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, ""},
		{"a 17 KiB header", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 17<<10) + "\r\n\r\n", 431, ""},
		{"garbage", "\x16\x03\x01\x02\x00\r\n\r\n", 400, ""},
		{"a length over the limit, no body sent",
			"POST /api/auth/sign-in/email HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 8193\r\n\r\n",
			413, `{"code":"REQUEST_BODY_TOO_LARGE"}`},
		{"module route without Origin",
			"POST /api/v1/modules/base/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n", 403,
			`{"code":"ORIGIN_NOT_TRUSTED"}`},
		{"module route, length over the limit",
			"POST /api/v1/modules/base/echo HTTP/1.1\r\nHost: x\r\nOrigin: " + i.address +
				"\r\nContent-Length: 1048577\r\n\r\n", 413, `{"code":"REQUEST_BODY_TOO_LARGE"}`},
		{"module route, anonymous", "POST /api/v1/modules/base/echo HTTP/1.1\r\nHost: x\r\nOrigin: " + i.address +
			"\r\nContent-Length: 1\r\n\r\nx", 401, `{"code":"AUTHENTICATION_REQUIRED"}`},
	} {
		response, body := send(t, i, row.request)
		if response.StatusCode != row.status || body != row.body {
			t.Errorf("%v: send: status %v, want %v; body %.200q, want %.200q",
				row.name, response.StatusCode, row.status, body, row.body)
		}
	}
}

// TestSecondSignalEndsAtOnce: a second signal ends a drain at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	conn := i.dial(t) // a request that would delay the drain
	fmt.Fprintf(conn, "POST /api/v1/modules/base/echo HTTP/1.1\r\nHost: x\r\nOrigin: %s\r\nCookie: "+
		"%s\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
		i.address, owner.cookie)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil ||
		!strings.Contains(line, "100 Continue") {
		t.Fatalf("ReadString: error %v, want none; line %.400q, want %q in it",
			err, line, "100 Continue")
	}
	module := modulePID(t, daemon, "base")
	daemon.signal(t, syscall.SIGTERM)
	daemon.awaitOutput(t, &daemon.stderr, `"msg":"stopping"`)
	daemon.signal(t, syscall.SIGTERM)
	if status := daemon.awaitExit(t); status == cli.ExitSuccess {
		t.Error("the second signal was waited out")
	}
	eventually(t, "the module has died with its host", func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(module) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}
