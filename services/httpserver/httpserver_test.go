package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "32") // the tests wait for deadlines; -parallel on the command line wins
	leaktest.Main(m)
}

const home = "https://church.example.org"

// testIdentity replaces identity and authorization: a header of the request contains the sender and, by it,
// the permissions.
type testIdentity struct{ resolved atomic.Int32 }

func (s *testIdentity) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	s.resolved.Add(1)
	switch r.Header.Get("Test-Who") {
	case "broken":
		return principal.Principal{}, httpapi.ErrPrincipal
	case "":
		return principal.Principal{}, nil
	}
	return principal.Person(r.Header.Get("Test-Who")), nil
}

func (s *testIdentity) Caller(p principal.Principal) httpapi.Caller { return caller{p} }

// caller has all permissions if its id is "owner", otherwise none.
type caller struct{ who principal.Principal }

func (c caller) Principal() principal.Principal { return c.who }
func (c caller) Allowed(context.Context, string) (bool, error) {
	return c.who.UserID == "owner", nil
}

// fixture is a served table, and records of what its handlers received.
type fixture struct {
	*httptest.Server
	stores  *testIdentity
	logs    *observer.ObservedLogs
	handled atomic.Int32
}

func serve(t *testing.T) *fixture {
	t.Helper()
	f, handler := table(t)
	f.Server = httptest.NewServer(handler)
	t.Cleanup(f.Close)
	return f
}

// table returns a fixture and its handler, which is not served yet.
func table(t *testing.T) (*fixture, http.Handler) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	f := &fixture{stores: &testIdentity{}, logs: logs}
	echo := func(c *httpapi.Call) error {
		f.handled.Add(1)
		return c.JSON(http.StatusOK, string(c.Body))
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes: []httpapi.Route{
			{Method: "GET", Path: "/api/v1/open", Handle: echo},
			{Method: "GET", Path: "/api/v1/health/live", Handle: echo, OthersNotAllowed: true},
			{Method: "GET", Path: "/api/v1/things/{id}", Head: true, Permission: "core.things.read",
				Handle: func(c *httpapi.Call) error {
					return c.JSON(http.StatusOK, c.Parameter("id"))
				}},
			{Method: "GET", Path: "/api/v1/things/{other}/parts/{part}", Handle: func(c *httpapi.Call) error {
				return c.JSON(http.StatusOK, c.Parameter("other")+"+"+c.Parameter("part"))
			}},
			{Method: "POST", Path: "/api/v1/things", Origin: httpapi.TrustedOrigin, Body: httpapi.WholeBody,
				MaxBody: 16, Permission: "core.things.write", Handle: echo},
			{Method: "PUT", Path: "/api/v1/things/{id}", Origin: httpapi.TrustedOrigin, Body: httpapi.DeclaredBody,
				MaxBody: 16, Permission: "core.things.write", Handle: func(c *httpapi.Call) error {
					body, err := c.ReadBody()
					if err != nil {
						return err
					}
					f.handled.Add(1)
					return c.JSON(http.StatusOK, string(body))
				}},
			{Method: "GET", Path: "/api/v1/long", Handle: func(c *httpapi.Call) error {
				return c.RawJSON(http.StatusOK, make([]byte, 100<<10))
			}},
			{Method: "GET", Path: "/api/v1/panics", Handle: func(*httpapi.Call) error { panic("the value: hunter2") }},
			{Method: "GET", Path: "/api/v1/fails",
				Handle: func(*httpapi.Call) error { return errors.New("the text: hunter2") }},
			{Method: "GET", Path: "/api/v1/cut", Handle: func(c *httpapi.Call) error {
				_, _ = io.WriteString(c.Writer, "half")
				return errors.New("and no more")
			}},
		},
		TrustedOrigins: []environment.Origin{home},
		ClientAddress:  direct(),
		Resolver:       f.stores,
		Authorizer:     f.stores,
		Log:            zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, handler
}

type row struct {
	name, method, path string
	header             map[string]string
	body               io.Reader
	status             int
	want               string // the whole body
	resolved, handled  int32  // exact numbers of resolved principals and of handler calls
}

func (f *fixture) do(t *testing.T, r row) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), r.method, f.URL+r.path, r.body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range r.header {
		request.Header.Set(name, value)
	}
	response, err := f.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestPipeline(t *testing.T) {
	owner := map[string]string{"Test-Who": "owner", "Origin": home}
	with := func(name, value string) map[string]string {
		header := map[string]string{"Test-Who": "owner", "Origin": home}
		if header[name] = value; value == "" {
			delete(header, name)
		}
		return header
	}
	text := strings.NewReader
	unknownLength := func(s string) io.Reader { return io.MultiReader(text(s)) }

	for _, r := range []row{
		{name: "no principal is resolved on an open route", method: "GET", path: "/api/v1/open", header: owner,
			status: 200, want: `""`, handled: 1},
		{name: "anonymous", method: "GET", path: "/api/v1/things/7", status: 401,
			want: `{"code":"AUTHENTICATION_REQUIRED"}`, resolved: 1},
		{name: "without the permission", method: "GET", path: "/api/v1/things/7",
			header: with("Test-Who", "member"), status: 403, want: `{"code":"PERMISSION_DENIED"}`, resolved: 1},
		{name: "store unusable", method: "GET", path: "/api/v1/things/7", header: with("Test-Who", "broken"),
			status: 503, want: `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`, resolved: 1},
		{name: "holder", method: "GET", path: "/api/v1/things/7", header: owner, status: 200, want: `"7"`,
			resolved: 1},
		{name: "HEAD is GET", method: "HEAD", path: "/api/v1/things/7", header: owner, status: 200, resolved: 1},

		{name: "no Origin", method: "POST", path: "/api/v1/things", header: with("Origin", ""), body: text("x"),
			status: 403, want: `{"code":"ORIGIN_NOT_TRUSTED"}`},
		{name: "another Origin", method: "POST", path: "/api/v1/things",
			header: with("Origin", "https://evil.example"), body: text("x"), status: 403,
			want: `{"code":"ORIGIN_NOT_TRUSTED"}`},
		{name: "nearly the Origin", method: "POST", path: "/api/v1/things", header: with("Origin", home+"/"),
			body: text("x"), status: 403, want: `{"code":"ORIGIN_NOT_TRUSTED"}`},
		{name: "Origin before body", method: "POST", path: "/api/v1/things", header: with("Origin", ""),
			body: text(strings.Repeat("x", 17)), status: 403, want: `{"code":"ORIGIN_NOT_TRUSTED"}`},
		{name: "body before principal", method: "POST", path: "/api/v1/things", header: with("Test-Who", ""),
			body: text(strings.Repeat("x", 17)), status: 413, want: `{"code":"REQUEST_BODY_TOO_LARGE"}`},
		{name: "body of unknown length before principal", method: "POST", path: "/api/v1/things",
			header: with("Test-Who", ""), body: unknownLength(strings.Repeat("x", 17)), status: 413,
			want: `{"code":"REQUEST_BODY_TOO_LARGE"}`},
		{name: "body at the limit", method: "POST", path: "/api/v1/things", header: owner,
			body: text("0123456789abcdef"), status: 200, want: `"0123456789abcdef"`, resolved: 1, handled: 1},
		{name: "body of unknown length at the limit", method: "POST", path: "/api/v1/things", header: owner,
			body: unknownLength("0123456789abcdef"), status: 200, want: `"0123456789abcdef"`, resolved: 1, handled: 1},

		{name: "declared length before principal", method: "PUT", path: "/api/v1/things/7",
			header: with("Test-Who", ""), body: text(strings.Repeat("x", 17)), status: 413,
			want: `{"code":"REQUEST_BODY_TOO_LARGE"}`},
		{name: "unknown length after permission", method: "PUT", path: "/api/v1/things/7",
			header: with("Test-Who", ""), body: unknownLength(strings.Repeat("x", 17)), status: 401,
			want: `{"code":"AUTHENTICATION_REQUIRED"}`, resolved: 1},
		{name: "unknown length counted", method: "PUT", path: "/api/v1/things/7", header: owner,
			body: unknownLength(strings.Repeat("x", 17)), status: 413, want: `{"code":"REQUEST_BODY_TOO_LARGE"}`,
			resolved: 1},

		{name: "unknown path", method: "GET", path: "/api/v1/nothing", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "another method", method: "DELETE", path: "/api/v1/things", header: owner, status: 404,
			want: `{"code":"NOT_FOUND"}`},
		{name: "HEAD where it is not declared", method: "HEAD", path: "/api/v1/open", status: 404},
		{name: "trailing slash", method: "GET", path: "/api/v1/open/", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "doubled slash", method: "GET", path: "/api//v1/open", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "another case", method: "GET", path: "/api/v1/OPEN", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "escaped letter", method: "GET", path: "/api/v1/%6Fpen", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "dot segments", method: "GET", path: "/api/v1/x/../open", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "empty segment", method: "GET", path: "/api/v1/things/", header: owner, status: 404,
			want: `{"code":"NOT_FOUND"}`},
		{name: "escaped slash stays in its segment", method: "GET", path: "/api/v1/things/a%2Fparts%2Fb",
			header: owner, status: 200, want: `"a/parts/b"`, resolved: 1},
		{name: "plus is no space", method: "GET", path: "/api/v1/things/a+b%20c", header: owner, status: 200,
			want: `"a+b c"`, resolved: 1},
		{name: "two names in one place", method: "GET", path: "/api/v1/things/a/parts/b", status: 200,
			want: `"a+b"`},

		{name: "panic", method: "GET", path: "/api/v1/panics", status: 500, want: `{"code":"INTERNAL_ERROR"}`},
		{name: "error without a code", method: "GET", path: "/api/v1/fails", status: 500,
			want: `{"code":"INTERNAL_ERROR"}`},
		{name: "POST on health", method: "POST", path: "/api/v1/health/live", status: 405},
		{name: "HEAD on health", method: "HEAD", path: "/api/v1/health/live", status: 405},
		{name: "preflight on health", method: "OPTIONS", path: "/api/v1/health/live",
			header: map[string]string{"Origin": home, "Access-Control-Request-Method": "GET"}, status: 405},
		{name: "TRACE", method: "TRACE", path: "/api/v1/open", status: 404, want: `{"code":"NOT_FOUND"}`},
		{name: "plain OPTIONS", method: "OPTIONS", path: "/api/v1/open", status: 404, want: `{"code":"NOT_FOUND"}`},
	} {
		t.Run(r.name, func(t *testing.T) {
			f := serve(t)
			response := f.do(t, r)
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != r.status || string(body) != r.want {
				t.Errorf("got %d %s, want %d %s", response.StatusCode, body, r.status, r.want)
			}
			if resolved, handled := f.stores.resolved.Load(), f.handled.Load(); resolved != r.resolved ||
				handled != r.handled {
				t.Errorf("resolved %d times, handled %d; want %d, %d", resolved, handled, r.resolved, r.handled)
			}
			checkHeaders(t, response, r)
			for _, line := range f.logs.All() {
				for _, field := range line.Context {
					if strings.Contains(line.Message+field.String, "hunter2") {
						t.Errorf("the log says %v", line)
					}
				}
			}
		})
	}
}

func checkHeaders(t *testing.T, response *http.Response, r row) {
	t.Helper()
	header := response.Header
	if header.Get("X-Content-Type-Options") != "nosniff" || len(header.Get("X-Request-Id")) != 32 ||
		header.Get("Vary") != "Origin" {
		t.Errorf("header %v, want nosniff, a request id of 32 characters and Vary: Origin", header)
	}
	if response.StatusCode != http.StatusNoContent && header.Get("Cache-Control") != "no-store" {
		t.Errorf("Cache-Control %q, want no-store", header.Get("Cache-Control"))
	}
	if response.StatusCode == http.StatusRequestEntityTooLarge && !response.Close {
		t.Error("a 413 keeps its connection")
	}
	if response.StatusCode == http.StatusMethodNotAllowed && header.Get("Allow") != "GET" {
		t.Errorf("Allow %q of a 405, want GET", header.Get("Allow"))
	}
	allowed := header.Get("Access-Control-Allow-Origin")
	if want := r.header["Origin"]; want == home && allowed != home || want != home && allowed != "" {
		t.Errorf("Origin %q is answered with %q", want, allowed)
	}
}

func TestPreflight(t *testing.T) {
	f := serve(t)
	trusted := f.do(t, row{method: "OPTIONS", path: "/api/v1/things",
		header: map[string]string{"Origin": home, "Access-Control-Request-Method": "POST"}})
	if trusted.StatusCode != 204 || trusted.Header.Get("Access-Control-Allow-Origin") != home ||
		trusted.Header.Get("Access-Control-Allow-Credentials") != "true" ||
		trusted.Header.Get("Access-Control-Allow-Methods") != "GET, HEAD, POST, PUT, PATCH, DELETE" ||
		trusted.Header.Get("Access-Control-Allow-Headers") != "Content-Type" ||
		trusted.Header.Get("Access-Control-Max-Age") != "600" {
		t.Errorf("preflight of a trusted origin: status %d, want 204; header %v, want all of CORS",
			trusted.StatusCode, trusted.Header)
	}
	other := f.do(t, row{method: "OPTIONS", path: "/api/v1/things",
		header: map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}})
	if other.StatusCode != 204 {
		t.Errorf("preflight of another origin: status %d, want 204", other.StatusCode)
	}
	for name := range other.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("an untrusted origin is told %s", name)
		}
	}
}

func TestHalfAResponseIsCutOff(t *testing.T) {
	f := serve(t)
	response, err := f.Client().Get(f.URL + "/api/v1/cut")
	if err == nil {
		_, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	if err == nil {
		t.Fatal("a failed answer looks whole")
	}
}

func TestWritesWithoutAGateAreRefused(t *testing.T) {
	handle := func(*httpapi.Call) error { return nil }
	for _, route := range []httpapi.Route{
		{Method: "POST", Path: "/a", Body: httpapi.WholeBody, Handle: handle},
		{Method: "POST", Path: "/a", Origin: httpapi.TrustedOrigin, Handle: handle},
		{Method: "DELETE", Path: "/a", Handle: handle},
		{Method: "GET", Path: "/a"},
	} {
		if _, err := httpserver.New(httpserver.Config{Routes: []httpapi.Route{route}, ClientAddress: direct(),
			Log: zap.NewNop()}); err == nil {
			t.Errorf("%+v was accepted", route)
		}
	}
}

// TestAbortedUploadIsNot413 checks that a client that stops sending early fails, but not for a body that is
// too large, and that no handler gets the received part.
func TestAbortedUploadIsNot413(t *testing.T) {
	for _, path := range []string{"POST /api/v1/things", "PUT /api/v1/things/7"} {
		f := serve(t)
		conn, err := net.Dial("tcp", f.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn,
			path+" HTTP/1.1\r\nHost: x\r\nOrigin: "+home+
				"\r\nTest-Who: owner\r\nContent-Length: 10\r\n\r\nabc"); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusBadRequest ||
			string(body) != `{"code":"REQUEST_INVALID"}` || f.handled.Load() != 0 {
			t.Errorf("%s: status %d, want 400; body %s; handled %d times, want none; error %v", path,
				response.StatusCode, body, f.handled.Load(), err)
		}
	}
}
