package browsertest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/dashboard"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/web"
)

// fixture serves the built Dashboard through the pipeline of the platform, and instead of the API the
// responses that a test has set.
type fixture struct {
	*httptest.Server
	t *testing.T

	mu        sync.Mutex
	responses map[string]http.HandlerFunc
	origin    *string  // what the page's element says, where it is not what the service writes
	build     string   // the build that the page says it is, where that is not the one that was built
	dev       bool     // the page is that of "narthex dev"
	received  []string // "METHOD path?query", API alone
	answering int      // requests that have no response yet, API alone
}

// person is who signs in.
const person = "7d0f5b1e-5a55-4c3e-9a6a-1c9a3f0f6f10"

// newFixture starts a Dashboard in which nobody is signed in; every other route is 404. A sign-in succeeds.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{t: t, responses: map[string]http.HandlerFunc{}}
	h.Server = httptest.NewUnstartedServer(nil)
	origin := environment.Origin("http://" + h.Listener.Addr().String())
	service, err := dashboard.New(dashboard.Config{Build: web.Dashboard(), APIOrigin: origin})
	if err != nil {
		t.Fatal(err)
	}
	page, err := httpserver.New(httpserver.Config{
		Routes:         service.Routes(),
		TrustedOrigins: []environment.Origin{origin},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       anonymousResolver{},
		Authorizer:     anonymousResolver{},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			h.serveAPI(w, r)
			return
		}
		h.mu.Lock()
		content, build, dev := h.origin, h.build, h.dev
		h.mu.Unlock()
		if content == nil && build == "" && !dev || r.URL.Path != "/" {
			page.ServeHTTP(w, r)
			return
		}
		r.Header.Del("If-None-Match") // the page is another one
		r.Header.Del("Accept-Encoding")
		built := httptest.NewRecorder()
		page.ServeHTTP(built, r)
		text := built.Body.String()
		if content != nil {
			text = strings.Replace(text, `content="`+string(origin)+`"`, `content="`+*content+`"`, 1)
		}
		if dev {
			text = strings.Replace(text, "<html ", "<html data-development ", 1)
		}
		if build != "" {
			text = buildElement.ReplaceAllString(text, `<meta name="narthex-build" content="`+build+`">`)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	})
	h.Start()
	t.Cleanup(h.Close)
	h.setAnonymous()
	h.handle("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
		h.setSignedIn(person)
		reply(w, 200, `{"ok":true}`)
	})
	h.handle("POST /api/auth/sign-out", func(w http.ResponseWriter, _ *http.Request) {
		h.setAnonymous()
		reply(w, 200, `{"success":true}`)
	})
	return h
}

var buildElement = regexp.MustCompile(`<meta name="narthex-build" content="[^"]*">`)

// setBuild lets the page say from now on that it is another build.
func (h *fixture) setBuild(build string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build = build
}

type anonymousResolver struct{}

func (anonymousResolver) Resolve(context.Context, *http.Request) (principal.Principal, error) {
	return principal.Principal{}, nil
}
func (anonymousResolver) Caller(principal.Principal) httpapi.Caller { return nil }

// awaitRead waits until the page has asked for all that it asks for when it is opened, and has it.
func (h *fixture) awaitRead(p *tab) {
	p.t.Helper()
	p.runScript(`await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => ` +
		`setTimeout(done))))`)
	p.waitUntil("responses to all requests", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.answering == 0
	})
}

func (h *fixture) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	h.mu.Lock()
	h.received = append(h.received, r.Method+" "+r.URL.RequestURI())
	h.answering++
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.answering--
	}()
	result, known := h.responses[r.Method+" "+r.URL.Path]
	if !known {
		for pattern, candidate := range h.responses {
			if prefix, open := strings.CutSuffix(pattern, "/*"); open &&
				strings.HasPrefix(r.Method+" "+r.URL.Path, prefix+"/") {
				result, known = candidate, true
			}
		}
	}
	h.mu.Unlock()
	if !known {
		reply(w, 404, `{"code":"NOT_FOUND"}`)
		return
	}
	result(w, r)
}

// handle sets the handler of a route: "METHOD path", where a path may end in /*.
func (h *fixture) handle(route string, result http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.responses[route] = result
}

// setOrigin sets what the page says of the API's origin; before the page is opened.
func (h *fixture) setOrigin(text string) { h.origin = &text }

// respond sets a fixed response.
func (h *fixture) respond(route string, status int, body string) {
	h.handle(route, func(w http.ResponseWriter, _ *http.Request) { reply(w, status, body) })
}

func (h *fixture) setAnonymous() { h.respond("GET /api/v1/principal", 200, `{"kind":"anonymous"}`) }

func (h *fixture) setSignedIn(userID string) {
	h.respond("GET /api/v1/principal", 200, `{"kind":"authenticated","userId":"`+userID+`"}`)
}

// requests are those that were made of the API, in order.
func (h *fixture) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.received)
}

// countRequests counts the requests of a route.
func (h *fixture) countRequests(request string) (n int) {
	for _, asked := range h.requests() {
		if asked == request {
			n++
		}
	}
	return n
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

type object map[string]any

func (h *fixture) respondJSON(route string, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	h.respond(route, status, string(text))
}

// module is one entry of the navigation; more replaces fields of its ui.
func module(id, name string, more object) object {
	ui := object{
		"moduleId": id, "name": name, "version": "1.0.0", "artifactUrl": "/api/v1/module-ui/" + id + "/1.0.0",
		"apiRoot": "/api/v1/modules/" + id, "realtimeRoot": "/api/v1/module-realtime/" + id,
		"permissions": []string{}, "contributions": []object{},
	}
	for field, value := range more {
		ui[field] = value
	}
	return object{"moduleId": id, "name": name, "order": nil, "ui": ui}
}

// setNavigation sets what the signed-in person may open; groups by label.
func (h *fixture) setNavigation(permissions []string, ungrouped []object, groups ...object) {
	h.respondJSON("GET /api/v1/dashboard/navigation", 200, object{
		"groups": append([]object{}, groups...), "ungrouped": append([]object{}, ungrouped...),
		"permissions": append([]string{}, permissions...),
	})
}

func group(id, label string, modules ...object) object {
	return object{"id": id, "label": label, "order": 0, "modules": append([]object{}, modules...)}
}

// setModuleScript publishes a module's UI: the body of its mount, or a whole script that exports something.
func (h *fixture) setModuleScript(id, text string) {
	if !strings.Contains(text, "export") {
		text = mounting(text)
	}
	h.handle("GET /api/v1/module-ui/"+id+"/1.0.0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = io.WriteString(w, text)
	})
}

// mounting is the script of a module's UI whose mount has this body.
func mounting(body string) string {
	return `export default { narthex: "module-ui", abi: 1, definition: { mount(container, context) {` + body +
		`} } };`
}
