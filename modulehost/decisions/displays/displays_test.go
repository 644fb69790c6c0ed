package displays_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/displays"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

const (
	script = "(() => {})();\n"
	worker = "self;\n"
	html   = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
)

// pageOf returns a page that refers to a host script.
func pageOf(script string) string {
	hash := hashOf(script)
	return `<!doctype html><meta name="narthex-display" content="` + hash + `"><script src="/display/host-` +
		hash + `.js"></script>`
}

func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return hex.EncodeToString(sum[:])[:16]
}

func build(page string) fstest.MapFS {
	return fstest.MapFS{
		"index.html":    {Data: []byte(page)},
		"index.html.gz": {Data: []byte("gzip-coded page")},
		"host.js":       {Data: []byte(script)},
		"host.js.zst":   {Data: []byte("zstd-coded script")},
		"worker.js":     {Data: []byte(worker)},
	}
}

// fixture is a platform on which stage runs with a display, rota without one, and board does not run.
type fixture struct {
	http.Handler
	logs   *observer.ObservedLogs
	forget error
}

func setup(t *testing.T) *fixture {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	h := &fixture{logs: logs}
	files, err := displays.Read(build(pageOf(script)))
	if err != nil {
		t.Fatal(err)
	}
	service, err := displays.New(displays.Config{
		Files: files, Started: started(t), Screens: h, Log: zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Handler, err = httpserver.New(httpserver.Config{
		Routes:         service.Routes(),
		TrustedOrigins: []environment.Origin{"https://church.example.org"},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       h,
		Authorizer:     h,
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func started(t *testing.T) catalog.Resolution {
	t.Helper()
	display := func(id string) *catalog.Module {
		return &catalog.Module{Manifest: &manifest.Manifest{
			ID: id, Display: &manifest.Page{Permission: id + ".view"},
		}}
	}
	installed := &catalog.Catalog{Modules: []*catalog.Module{
		display("board"), {Manifest: &manifest.Manifest{ID: "rota"}}, display("stage"), display("wall"),
	}}
	return installed.Resolve(catalog.State{Enabled: func(id string) bool { return id != "board" }})
}

func (h *fixture) ForgetClaim(header http.Header, _ *http.Request) error {
	if h.forget == nil {
		header.Add("Set-Cookie", "claim=; Max-Age=0")
	}
	return h.forget
}

// Resolve reads the caller's one permission from a header; a request without it is anonymous.
func (h *fixture) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	switch held := r.Header.Get("Test-Holds"); held {
	case "":
		return principal.Principal{}, nil
	case "broken":
		return principal.Principal{}, httpapi.ErrPrincipal
	case "a person":
		return principal.Person("7d6b1f0e-3a53-4a0c-8f3a-0d9c8a3f1b11"), nil
	default:
		return principal.Principal{Kind: principal.Device, DeviceID: held}, nil
	}
}

func (h *fixture) Caller(who principal.Principal) httpapi.Caller { return holder{who} }

type holder struct{ who principal.Principal }

func (h holder) Principal() principal.Principal { return h.who }
func (h holder) Allowed(_ context.Context, permission string) (bool, error) {
	return h.who.DeviceID == permission, nil
}

func (h *fixture) send(method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = "192.0.2.1:1234"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Everybody is sent the same page; its status depends on whether the caller may see the display. A request
// that does not accept HTML gets the code.
func TestPage(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, row := range []struct {
		name, path, holds, accept string
		status                    int
		code                      string // "": the page
	}{
		{"holder", "/display/stage", "stage.view", html, 200, ""},
		{"holder, any type", "/display/stage", "stage.view", "*/*", 200, ""},
		{"nobody", "/display/stage", "", html, 401, ""},
		{"nobody, any type", "/display/stage", "", "*/*", 401, "AUTHENTICATION_REQUIRED"},
		{"nobody, html refused", "/display/stage", "", "text/html;q=0, */*", 401, "AUTHENTICATION_REQUIRED"},
		{"nobody, html last", "/display/stage", "", "image/png, Text/HTML;level=1;q=0.1", 401, ""},
		{"another display's screen", "/display/stage", "board.view", html, 403, ""},
		{"another display's screen, no page", "/display/stage", "board.view", "", 403, "PERMISSION_DENIED"},
		{"a person", "/display/stage", "a person", html, 403, ""},
		{"a person, no page", "/display/stage", "a person", "*/*", 403, "PERMISSION_DENIED"},
		{"store unusable", "/display/stage", "broken", html, 503, "PRINCIPAL_RESOLUTION_FAILED"},
		{"switched off", "/display/board", "board.view", html, 404, ""},
		{"switched off, no page", "/display/board", "", "application/json", 404, "NOT_FOUND"},
		{"no display", "/display/rota", "", html, 404, ""},
		{"not installed", "/display/ghost", "", html, 404, ""},
		{"no id", "/display/", "", html, 404, ""},
		{"no id, no page", "/display/", "", "*/*", 404, "NOT_FOUND"},
		{"below", "/display/stage/x", "stage.view", html, 404, ""},
		{"below, no page", "/display/stage/x", "stage.view", "*/*", 404, "NOT_FOUND"},
		{"far below", "/display/stage/a/b/", "", html, 404, ""},
		{"below nothing", "/display/ghost/a/b", "", html, 404, ""},
		{"below no id", "/display//a", "", html, 404, ""},
		{"no display's path", "/displays/a/b", "", html, 404, "NOT_FOUND"},
		{"slash", "/display/stage/", "stage.view", html, 404, ""},
		{"slash after a part of an id", "/display/stag/", "stage.view", html, 404, ""},
		{"slash after a part of the worker", "/display/work/", "", html, 404, ""},
		{"slash, like the worker", "/display/wall/", "", html, 404, ""},
		{"slash, no page", "/display/stage/", "stage.view", "*/*", 404, "NOT_FOUND"},
	} {
		w := h.send("GET", row.path, "Test-Holds", row.holds, "Accept", row.accept, "If-None-Match", `"other"`)
		want := pageOf(script)
		if row.holds == "a person" {
			want = strings.Replace(want, "<script", `<meta name="narthex-display-person" content="1"><script`, 1)
		}
		if row.code != "" {
			want = `{"code":"` + row.code + `"}`
		}
		if w.Code != row.status || w.Body.String() != want {
			t.Errorf("%s: status %d, want %d; body %s", row.name, w.Code, row.status, w.Body)
		}
		if row.code != "" {
			continue
		}
		for name, value := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", "Vary": "Accept-Encoding",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'",
		} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s %q, want %q", row.name, name, got, value)
			}
		}
		if (w.Header().Get("Etag") != "") != (row.status == 200) ||
			(w.Header().Get("Set-Cookie") != "") != (row.status == 200) {
			t.Errorf("%s: ETag %q, Set-Cookie %q: both belong to 200 alone", row.name, w.Header().Get("Etag"),
				w.Header().Get("Set-Cookie"))
		}
	}
}

// The permission is checked before the conditional headers: a caller without it gets no 304, whatever the
// request contains.
func TestConditionalPage(t *testing.T) {
	t.Parallel()
	h := setup(t)
	etag := h.send("GET", "/display/stage", "Test-Holds", "stage.view").Header().Get("Etag")
	for _, row := range []struct {
		holds  string
		match  string
		status int
	}{
		{"stage.view", etag, 304}, {"stage.view", "*", 304}, {"stage.view", `W/` + etag + `, "x"`, 304},
		{"", etag, 401}, {"", "*", 401}, {"board.view", etag, 403},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			w := h.send(method, "/display/stage", "Test-Holds", row.holds, "If-None-Match", row.match, "Accept", html)
			empty := row.status == 304 || method == "HEAD"
			if w.Code != row.status || (w.Body.Len() == 0) != empty {
				t.Errorf("%s as %q with %s: status %d, want %d; %d bytes", method, row.holds, row.match, w.Code,
					row.status, w.Body.Len())
			}
		}
	}
	if w := h.send("GET", "/display/ghost", "If-None-Match", "*", "Accept", html); w.Code != 404 {
		t.Errorf("a display that does not run: status %d, want 404", w.Code)
	}
}

// A script is compressed when the client accepts it; the worker never is.
func TestScripts(t *testing.T) {
	t.Parallel()
	h := setup(t)
	scriptPath := "/display/host-" + hashOf(script) + ".js"
	for _, row := range []struct{ path, accepts, coding, body string }{
		{scriptPath, "", "", script},
		{scriptPath, "gzip, zstd", "zstd", "zstd-coded script"},
		{scriptPath, "gzip", "", script},
		{"/display/worker.js", "gzip, zstd", "", worker},
		{"/display/stage", "gzip", "gzip", "gzip-coded page"},
	} {
		w := h.send("GET", row.path, "Accept-Encoding", row.accepts, "Test-Holds", "stage.view")
		if w.Code != 200 || w.Header().Get("Content-Encoding") != row.coding || w.Body.String() != row.body {
			t.Errorf("%s accepting %q: status %d, coding %q, body %s", row.path, row.accepts, w.Code,
				w.Header().Get("Content-Encoding"), w.Body)
		}
		if !strings.HasSuffix(row.path, ".js") {
			continue
		}
		for name, value := range map[string]string{
			"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'",
		} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s %q, want %q", row.path, name, got, value)
			}
		}
		again := h.send("GET", row.path, "Accept-Encoding", row.accepts, "If-None-Match", w.Header().Get("Etag"))
		if again.Code != 304 {
			t.Errorf("%s again: status %d, want 304", row.path, again.Code)
		}
	}
	for _, path := range []string{
		"/display/host-0123456789abcdef.js", "/display/host.js", "/display/index.html", "/display/worker.js.map",
	} {
		if w := h.send("GET", path); w.Code != 404 {
			t.Errorf("%s: status %d, want 404", path, w.Code)
		}
	}
	if w := h.send("POST", "/display/stage", "Test-Holds", "stage.view"); w.Code != 404 {
		t.Errorf("POST: status %d, want 404", w.Code)
	}
}

// When a claim cookie cannot be cleared, one line is logged and the page is sent nevertheless.
func TestClaimStays(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.forget = errors.New("host=db.test hunter2")
	w := h.send("GET", "/display/stage", "Test-Holds", "stage.view")
	if w.Code != 200 || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("status %d, Set-Cookie %q, want the page alone", w.Code, w.Header().Get("Set-Cookie"))
	}
	lines := h.logs.All()
	want := map[string]any{"request_id": w.Header().Get("X-Request-Id"), "cause": "other"}
	if len(lines) != 1 || !maps.Equal(lines[0].ContextMap(), want) {
		t.Errorf("logged %+v, want one line with %v alone", lines, want)
	}
}

// With a build whose files do not match, the start fails.
func TestBadBuild(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(fstest.MapFS){
		"no page":        func(b fstest.MapFS) { delete(b, "index.html") },
		"no script":      func(b fstest.MapFS) { delete(b, "host.js") },
		"empty worker":   func(b fstest.MapFS) { b["worker.js"].Data = nil },
		"another script": func(b fstest.MapFS) { b["host.js"].Data = []byte("other") },
		"two elements":   func(b fstest.MapFS) { b["index.html"].Data = []byte(pageOf(script) + pageOf(script)) },
	} {
		files := build(pageOf(script))
		change(files)
		if _, err := displays.Read(files); !errors.Is(err, displays.ErrAsset) {
			t.Errorf("%s: %v, want %v", name, err, displays.ErrAsset)
		}
	}
	if _, err := displays.New(displays.Config{}); err == nil {
		t.Error("an empty configuration was accepted")
	}
}
