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

// house serves the built Dashboard through the platform's own pipeline, and in the place of the API what a
// test wants it to answer.
type house struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	origin  *string  // what the page's element says, where it is not what the service writes
	build   string   // the build that the page says it is, where that is not the one that was built
	dev     bool     // the page is that of "narthex dev"
	asked   []string // "METHOD path?query", API alone
}

// person is who signs in.
const person = "7d0f5b1e-5a55-4c3e-9a6a-1c9a3f0f6f10"

// setup makes a house in which nobody is signed in and every other route is 404. A sign-in succeeds.
func setup(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, answers: map[string]http.HandlerFunc{}}
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
		Resolver:       nobody{},
		Authorizer:     nobody{},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			h.api(w, r)
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
	h.anonymous()
	h.on("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
		h.signedIn(person)
		reply(w, 200, `{"ok":true}`)
	})
	h.on("POST /api/auth/sign-out", func(w http.ResponseWriter, _ *http.Request) {
		h.anonymous()
		reply(w, 200, `{"success":true}`)
	})
	return h
}

var buildElement = regexp.MustCompile(`<meta name="narthex-build" content="[^"]*">`)

// upgrade lets the page say from now on that it is another build.
func (h *house) upgrade(build string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build = build
}

type nobody struct{}

func (nobody) Resolve(context.Context, *http.Request) (principal.Principal, error) {
	return principal.Principal{}, nil
}
func (nobody) Caller(principal.Principal) httpapi.Caller { return nil }

func (h *house) api(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	h.mu.Lock()
	h.asked = append(h.asked, r.Method+" "+r.URL.RequestURI())
	answer, known := h.answers[r.Method+" "+r.URL.Path]
	if !known {
		for pattern, candidate := range h.answers {
			if prefix, open := strings.CutSuffix(pattern, "/*"); open &&
				strings.HasPrefix(r.Method+" "+r.URL.Path, prefix+"/") {
				answer, known = candidate, true
			}
		}
	}
	h.mu.Unlock()
	if !known {
		reply(w, 404, `{"code":"NOT_FOUND"}`)
		return
	}
	answer(w, r)
}

// on sets what a route answers: "METHOD path", where a path may end in /*.
func (h *house) on(route string, answer http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[route] = answer
}

// content sets what the page says of the API's origin; before the page is opened.
func (h *house) content(text string) { h.origin = &text }

// answer sets a fixed answer.
func (h *house) answer(route string, status int, body string) {
	h.on(route, func(w http.ResponseWriter, _ *http.Request) { reply(w, status, body) })
}

func (h *house) anonymous() { h.answer("GET /api/v1/principal", 200, `{"kind":"anonymous"}`) }

func (h *house) signedIn(userID string) {
	h.answer("GET /api/v1/principal", 200, `{"kind":"authenticated","userId":"`+userID+`"}`)
}

// requests are those that were made of the API, in order.
func (h *house) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.asked)
}

// count counts the requests of a route.
func (h *house) count(request string) (n int) {
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

func (h *house) json(route string, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	h.answer(route, status, string(text))
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

// navigation sets what the signed-in person may open; groups by label.
func (h *house) navigation(permissions []string, ungrouped []object, groups ...object) {
	h.json("GET /api/v1/dashboard/navigation", 200, object{
		"groups": append([]object{}, groups...), "ungrouped": append([]object{}, ungrouped...),
		"permissions": append([]string{}, permissions...),
	})
}

func group(id, label string, modules ...object) object {
	return object{"id": id, "label": label, "order": 0, "modules": append([]object{}, modules...)}
}

// script publishes a module's UI: the body of its mount, or a whole script that exports something.
func (h *house) script(id, text string) {
	if !strings.Contains(text, "export") {
		text = mounting(text)
	}
	h.on("GET /api/v1/module-ui/"+id+"/1.0.0", func(w http.ResponseWriter, _ *http.Request) {
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
