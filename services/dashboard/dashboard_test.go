package dashboard_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/dashboard"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

const (
	empty  = `<meta name="service-api-origin" content="">`
	filled = `<meta name="service-api-origin" content="https://church.example.org">`
	script = "(() => {})();\n"

	scriptPath = "/assets/service-dashboard/app.js"

	administration     = "export {};\n"
	administrationPath = "/assets/service-dashboard/administration.js"

	account     = "export const own = 1;\n"
	accountPath = "/assets/service-dashboard/account.js"

	imports     = "export const more = 1;\n"
	importsPath = "/assets/service-dashboard/files.js"
)

func build(page, script string) fstest.MapFS {
	return fstest.MapFS{
		"index.html":        {Data: []byte(page)},
		"app.js":            {Data: []byte(script)},
		"administration.js": {Data: []byte(administration)},
		"account.js":        {Data: []byte(account)},
		"files.js":          {Data: []byte(imports)},
		"app.js.map":        {Data: []byte("{}")},
		"other/app.js":      {Data: []byte("other")},
	}
}

// noPrincipal fails the test when a route resolves a principal.
type noPrincipal struct{ t *testing.T }

func (n noPrincipal) Resolve(context.Context, *http.Request) (principal.Principal, error) {
	n.t.Error("a principal was resolved")
	return principal.Principal{}, nil
}

func (n noPrincipal) Caller(principal.Principal) httpapi.Caller { return nil }

// serve serves a build through the platform's HTTP pipeline.
func serve(t *testing.T, files fstest.MapFS) http.Handler {
	t.Helper()
	service, err := dashboard.New(dashboard.Config{Build: files, APIOrigin: "https://church.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes:         service.Routes(),
		Absent:         service.Absent,
		TrustedOrigins: []environment.Origin{"https://church.example.org"},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       noPrincipal{t},
		Authorizer:     noPrincipal{t},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func send(t *testing.T, handler http.Handler, method, path string,
	headers ...string) (*httptest.ResponseRecorder, http.Header) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	header := w.Header().Clone()
	header.Del("X-Request-Id")
	return w, header
}

func TestFilesWithTheirHeaders(t *testing.T) {
	t.Parallel()
	files := build("<html>"+empty+"</html>", script)
	handler := serve(t, files)
	// the service has already read the files, so this has no effect
	for _, name := range []string{"index.html", "app.js", "administration.js", "account.js", "files.js"} {
		files[name].Data = []byte("changed")
	}

	for _, row := range []struct{ path, body, contentType string }{
		{"/", "<html>" + filled + "</html>", "text/html; charset=utf-8"},
		{scriptPath, script, "text/javascript; charset=utf-8"},
		{administrationPath, administration, "text/javascript; charset=utf-8"},
		{accountPath, account, "text/javascript; charset=utf-8"},
		{importsPath, imports, "text/javascript; charset=utf-8"},
	} {
		etag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(row.body)))
		always := http.Header{
			"Cache-Control": {"no-cache"}, "Etag": {etag}, "Vary": {"Accept-Encoding"},
			"X-Content-Type-Options": {"nosniff"},
		}
		if row.path == "/" {
			always["X-Frame-Options"] = []string{"DENY"}
			always["Content-Security-Policy"] = []string{"frame-ancestors 'none'"}
			always["Referrer-Policy"] = []string{"no-referrer"}
		}
		whole := always.Clone()
		whole["Content-Type"] = []string{row.contentType}
		whole["Content-Length"] = []string{strconv.Itoa(len(row.body))}

		for tag, status := range map[string]int{
			"": 200, `"other"`: 200, strings.Trim(etag, `"`): 200,
			etag: 304, "W/" + etag: 304, `"other", W/` + etag: 304, "*": 304,
		} {
			for _, method := range []string{"GET", "HEAD"} {
				want, body := whole, row.body
				if status == 304 {
					want, body = always, ""
				}
				if method == "HEAD" {
					body = ""
				}
				w, header := send(t, handler, method, row.path, "If-None-Match", tag, "Origin",
					"https://church.example.org",
					"Cookie", "__Host-narthex_session=x; __Host-narthex_device=y")
				if w.Code != status || w.Body.String() != body || !reflect.DeepEqual(header, want) {
					t.Errorf("%s %s, If-None-Match %s: status %d, want %d; body %q; header %v, want %v",
						method, row.path, tag, w.Code, status, w.Body, header, want)
				}
			}
		}
		if w, _ := send(t, handler, "GET", row.path+"?service_auth=verify-email&token=x"); w.Code != 200 ||
			w.Body.String() != row.body {
			t.Errorf("GET %s with a query: status %d, want 200; body %q, want %q", row.path, w.Code, w.Body,
				row.body)
		}
	}
}

func TestUnknownPathsAreRefused(t *testing.T) {
	t.Parallel()
	handler := serve(t, build(empty, script))
	refused := func(method, path string) {
		w, header := send(t, handler, method, path)
		want := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"},
			"X-Content-Type-Options": {"nosniff"}}
		if w.Code != 404 || w.Body.String() != `{"code":"NOT_FOUND"}` || !reflect.DeepEqual(header, want) {
			t.Errorf("%s %s: status %d, want 404 NOT_FOUND; body %q; header %v, want %v", method, path,
				w.Code, w.Body,
				header, want)
		}
	}
	for _, path := range []string{
		"/index.html", "/app.js", "/app.js.map", scriptPath + ".map", scriptPath + "/", "//", "/./", "/%2F",
		"/assets/",
		"/assets/service-dashboard/", "/assets/service-dashboard/index.html",
		"/assets/service-dashboard/other/app.js",
		"/assets/service-dashboard/../../", "/assets/service-dashboard/..%2f..%2findex.html",
		"/assets/service-dashboard//app.js",
		"/Assets/service-dashboard/app.js", "/assets/service-dashboard/app%2Ejs", "/login", "/favicon.ico",
	} {
		refused("GET", path)
		refused("HEAD", path)
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
		refused(method, "/")
		refused(method, scriptPath)
	}
}

// TestPageForAnAddressWithoutARoute checks that a browser gets the page for an address without a route, and
// that it is no success.
func TestPageForAnAddressWithoutARoute(t *testing.T) {
	t.Parallel()
	handler := serve(t, build("<html>"+empty+"</html>", script))
	for _, path := range []string{"/m/rota", "/login", "/index.html", "//", "/%2F", scriptPath + "/"} {
		for _, accept := range []string{"text/html", "text/html,application/xml;q=0.9,*/*;q=0.8"} {
			w, header := send(t, handler, "GET", path, "Accept", accept, "If-None-Match", "*")
			if w.Code != 404 || w.Body.String() != "<html>"+filled+"</html>" ||
				header.Get("X-Frame-Options") != "DENY" || header.Get("Etag") != "" {
				t.Errorf("GET %s, Accept %s: status %d, want 404 with the page; body %q; header %v", path, accept,
					w.Code, w.Body, header)
			}
		}
	}
	for _, row := range []struct{ method, path, accept string }{
		{"GET", "/m/rota", "*/*"}, {"GET", "/m/rota", "text/html;q=0"}, {"POST", "/m/rota", "text/html"},
		{"GET", "/api/v1/nowhere", "text/html"},
	} {
		w, _ := send(t, handler, row.method, row.path, "Accept", row.accept)
		if w.Code != 404 || w.Body.String() != `{"code":"NOT_FOUND"}` {
			t.Errorf("%s %s, Accept %s: status %d, body %q, want NOT_FOUND", row.method, row.path, row.accept, w.Code,
				w.Body)
		}
	}
	w, header := send(t, handler, "GET", "/.well-known/change-password")
	if w.Code != 302 || header.Get("Location") != "/#/account" {
		t.Errorf("the address to change a password: status %d, header %v, want 302 to the account", w.Code, header)
	}
}

func TestIncompleteBuildsAreRefused(t *testing.T) {
	t.Parallel()
	without := func(name string) fstest.MapFS {
		files := build(empty, script)
		delete(files, name)
		return files
	}
	for name, files := range map[string]fstest.MapFS{
		"no page":            without("index.html"),
		"no script":          without("app.js"),
		"no administration":  without("administration.js"),
		"no account":         without("account.js"),
		"no imports":         without("files.js"),
		"empty page":         build("", script),
		"empty script":       build(empty, ""),
		"no element":         build("<html></html>", script),
		"two elements":       build(empty+empty, script),
		"one filled beside":  build(empty+filled, script),
		"filled":             build(filled, script),
		"other markup":       build(`<meta content="" name="service-api-origin">`, script),
		"empty and unquoted": build(empty+`<meta name=service-api-origin content="">`, script),
	} {
		if _, err := dashboard.New(
			dashboard.Config{Build: files, APIOrigin: "https://church.example.org"}); !errors.Is(err,
			dashboard.ErrAsset) {
			t.Errorf("New with markup %s: error %v, want %v", name, err, dashboard.ErrAsset)
		}
	}
}

// TestCodings checks that a browser gets page and script in the encoding that it accepts, each with its own
// entity tag.
func TestCodings(t *testing.T) {
	t.Parallel()
	text := "<html lang=en>" + empty + strings.Repeat("<p>The same words again.</p>", 100) + "</html>"
	code := strings.Repeat(script, 100)
	files := build(text, code)
	for coding, ending := range map[string]string{httpapi.Zstd: ".zst", httpapi.Gzip: ".gz"} {
		coded, err := httpapi.Encode([]byte(code), coding)
		if err != nil {
			t.Fatal(err)
		}
		files["app.js"+ending] = &fstest.MapFile{Data: coded}
	}
	handler := serve(t, files)
	for path, want := range map[string]string{"/": strings.Replace(text, empty, filled, 1), scriptPath: code} {
		tags := map[string]bool{}
		for accept, coding := range map[string]string{"": "", "br": "", "gzip": "gzip", "gzip, br, zstd": "zstd"} {
			w, header := send(t, handler, "GET", path, "Accept-Encoding", accept)
			if got := header.Get("Content-Encoding"); w.Code != 200 || got != coding {
				t.Errorf("%s for %q: status %d in %q, want 200 in %q", path, accept, w.Code, got, coding)
				continue
			}
			if got := header.Get("Vary"); got != "Accept-Encoding" {
				t.Errorf("%s for %q: Vary is %q, want Accept-Encoding", path, accept, got)
			}
			sum := fmt.Sprintf(`"%x"`, sha256.Sum256(w.Body.Bytes()))
			if got := header.Get("Etag"); got != sum {
				t.Errorf("%s for %q: its tag is %s, want that of the bytes sent, %s", path, accept, got, sum)
			}
			tags[sum] = true
			if got := decoded(t, w.Body.Bytes(), coding); got != want {
				t.Errorf("%s for %q: decoded it has %d bytes, want %d", path, accept, len(got), len(want))
			}
			again, header := send(t, handler, "GET", path, "Accept-Encoding", accept, "If-None-Match", sum)
			if again.Code != 304 || header.Get("Vary") != "Accept-Encoding" || again.Body.Len() > 0 {
				t.Errorf("%s for %q again: %d %v, want 304 with Vary", path, accept, again.Code, header)
			}
		}
		if len(tags) != 3 {
			t.Errorf("%s has %d entity tags, want one for each of 3 codings", path, len(tags))
		}
	}
}

func decoded(t *testing.T, content []byte, coding string) string {
	t.Helper()
	var reader io.Reader = bytes.NewReader(content)
	var err error
	switch coding {
	case httpapi.Gzip:
		reader, err = gzip.NewReader(reader)
	case httpapi.Zstd:
		reader, err = zstd.NewReader(reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDevelopment checks that only the page of a development installation is marked as one.
func TestDevelopment(t *testing.T) {
	t.Parallel()
	for _, development := range []bool{false, true} {
		service, err := dashboard.New(dashboard.Config{
			Build: build(`<html lang="en">`+empty+"</html>", script), APIOrigin: "https://church.example.org",
			Development: development,
		})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		call := &httpapi.Call{Writer: w, Request: httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)}
		if err := service.Routes()[0].Handle(call); err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(w.Body.String(), `<html data-development lang="en">`); got != development {
			t.Errorf("development %t: the page begins with %.40s", development, w.Body)
		}
	}
}
