package publication_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	inventory = "/api/v1/module-ui"
	displays  = "/api/v1/module-displays/"
	readUI    = "core.modules.ui.read"
)

// packages are the installed modules: the members of their manifests after id, name and compatibility. Each
// script's text contains its path.
var packages = map[string]string{
	"board": `"version": "1.0.0", "icon": "megaphone",
		"provides": [{"capability": "board.slides", "version": "1.2.0"}],
		"permissions": [{"id": "board.read", "baseline": "authenticated"},
			{"id": "board.edit", "baseline": "restricted"}, {"id": "board.view", "baseline": "restricted"}],
		"entrypoints": {"ui": "ui/index.js", "display":
			{"artifact": "display/index.js", "permission": "board.view"}}`,
	"clock": `"version": "1.0.0",
		"contributions": [
			{"id": "clock.slide", "version": "1.1.0", "capability": "board.slides", "range": "^1.0.0",
				"artifact": "contributions/slide.js"},
			{"id": "clock.digits", "version": "1.3.0", "capability": "board.slides", "range": "*",
				"artifact": "contributions/digits.js"},
			{"id": "clock.future", "version": "1.0.0", "capability": "board.slides", "range": "^2.0.0",
				"artifact": "contributions/future.js"},
			{"id": "clock.typo", "version": "1.0.0", "capability": "board.slide", "range": "*",
				"artifact": "contributions/typo.js"},
			{"id": "clock.lonely", "version": "1.0.0", "capability": "ghost.things", "range": "*",
				"artifact": "contributions/lonely.js"},
			{"id": "clock.early", "version": "1.0.0", "capability": "off.things", "range": "*",
				"artifact": "contributions/early.js"}]`,
	"agenda": `"version": "2.0.0-rc.1+b5",
		"entrypoints": {"ui": "ui/index.js"},
		"contributions": [
			{"id": "agenda.slide", "version": "0.1.0", "capability": "board.slides", "range": "~1.2",
				"artifact": "contributions/slide.js"}]`,
	"screen": `"version": "1.0.0",
		"permissions": [{"id": "screen.view", "baseline": "authenticated"}],
		"entrypoints": {"display": {"artifact": "display/index.js", "permission": "screen.view"}}`,
	"off": `"version": "1.0.0",
		"provides": [{"capability": "off.things", "version": "1.0.0"}],
		"permissions": [{"id": "off.view", "baseline": "restricted"}],
		"entrypoints": {"ui": "ui/index.js", "display": {"artifact": "display/index.js", "permission": "off.view"}},
		"contributions": [
			{"id": "off.slide", "version": "1.0.0", "capability": "board.slides", "range": "*",
				"artifact": "contributions/slide.js"}]`,
	"stuck": `"version": "1.0.0",
		"dependencies": {"required": [{"kind": "module", "id": "off", "range": "*"}]},
		"entrypoints": {"ui": "ui/index.js"}`,
	"plain": `"version": "1.0.0"`,
}

func discover(t testing.TB, packages map[string]string) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	for id, more := range packages {
		write(t, filepath.Join(dir, id, "module.json"),
			`{"manifestVersion": 7, "id": "`+id+`", "name": "The `+id+`",
			"compatibility": {"platform": "*", "moduleSdk": "*"}, `+more+`}`)
		for _, script := range []string{"ui/index.js", "display/index.js", "contributions/slide.js",
			"contributions/digits.js",
			"contributions/future.js", "contributions/typo.js", "contributions/lonely.js", "contributions/early.js"} {
			write(t, filepath.Join(dir, id, filepath.FromSlash(script)), scriptText(id, script))
			write(t, filepath.Join(dir, id, filepath.FromSlash(script+".map")), "{}")
		}
	}
	installed, err := catalog.Discover(dir, true, "0.1.2")
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

// scriptText returns the content of a script, long enough to be compressed.
func scriptText(id, script string) string { return strings.Repeat("// "+id+"/"+script+" ä\n", 20) }

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// fixture is one API process with the platform's HTTP pipeline.
type fixture struct {
	service  *publication.Service
	handler  http.Handler
	logs     *observer.ObservedLogs
	resolved atomic.Int32 // resolved principals
	asked    atomic.Int32 // permission checks
	renewed  atomic.Int32
	renewal  error
}

// setup runs all modules except off.
func setup(t testing.TB) *fixture {
	t.Helper()
	return start(t, discover(t, packages), "off")
}

func start(t testing.TB, installed *catalog.Catalog, disabled ...string) *fixture {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	h := &fixture{logs: logs}
	service, err := publication.New(publication.Config{
		Catalog: installed,
		Started: installed.Resolve(catalog.State{Enabled: func(id string) bool {
			return !slices.Contains(disabled,
				id)
		}}),
		Screens: h,
		Log:     zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.service = service
	h.handler, err = httpserver.New(httpserver.Config{
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

func (h *fixture) Label(context.Context, string) (string, error) { return "Foyer", nil }

func (h *fixture) Renew(_ context.Context, header http.Header, _ *http.Request) error {
	h.renewed.Add(1)
	if h.renewal == nil {
		header.Add("Set-Cookie", "credential=renewed")
	}
	return h.renewal
}

func (h *fixture) ForgetClaim(header http.Header, _ *http.Request) error {
	if h.renewal == nil {
		header.Add("Set-Cookie", "claim=forgotten")
	}
	return h.renewal
}

// Resolve reads the caller from a header of the request: nobody, or a kind and the permissions it holds.
func (h *fixture) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	h.resolved.Add(1)
	who := r.Header.Get("Test-Who")
	kind, _, _ := strings.Cut(who, " ")
	return principal.Principal{Kind: map[string]principal.Kind{"person": principal.Human,
		"device": principal.Device}[kind], UserID: who}, nil
}

func (h *fixture) Caller(p principal.Principal) httpapi.Caller { return caller{p, h} }

type caller struct {
	who principal.Principal
	*fixture
}

func (c caller) Principal() principal.Principal { return c.who }

// Allowed fails for a caller that holds "broken", as when the store does not respond.
func (c caller) Allowed(_ context.Context, permission string) (bool, error) {
	c.asked.Add(1)
	held := strings.Fields(c.who.UserID)
	if slices.Contains(held, "broken") && permission != readUI {
		return false, httpapi.ErrPrincipal
	}
	return slices.Contains(held, permission), nil
}

// send sends a request with headers as pairs of name and value.
func (h *fixture) send(t testing.TB, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

func wantCode(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, code)
	}
}

// headerOf returns a response's header without the request's id.
func headerOf(w *httptest.ResponseRecorder) http.Header {
	header := maps.Clone(w.Result().Header)
	delete(header, "X-Request-Id")
	return header
}
