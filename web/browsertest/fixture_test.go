package browsertest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fixture is a front of a house: a proxy that responds to API requests as a test has set, and lets the house
// respond to all others.
type fixture struct {
	*httptest.Server
	t        *testing.T
	house    *devServer
	platform http.Handler // the house
	email    string       // of a person of the house
	session  *http.Cookie // of who is signed in when a screen is opened; nil: nobody
	begin    string       // the path at which a screen begins; "": that of its screenCase

	mu         sync.Mutex
	responses  map[string]http.HandlerFunc
	origin     *string           // the API's origin in the page; nil: the one that belongs there
	build      string            // the build in the page, if it differs from the real one
	production bool              // the page is not served as by "narthex dev"
	received   []string          // "METHOD path?query", only of the API
	bodies     map[string]string // of the last request of a route
	untrusted  bool              // the house does not trust the origin of the page
	answering  int               // number of API requests without a response yet
}

// serve responds to every request of a browser.
func (h *fixture) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		h.serveAPI(w, r)
		return
	}
	h.mu.Lock()
	content, build, production := h.origin, h.build, h.production
	h.mu.Unlock()
	if r.URL.Path != "/" {
		h.platform.ServeHTTP(w, r)
		return
	}
	if content == nil {
		content = &h.URL
	}
	r.Header.Del("If-None-Match") // the page differs from the cached one
	r.Header.Set("Accept-Encoding", "identity")
	built := httptest.NewRecorder()
	h.platform.ServeHTTP(built, r)
	text := originElement.ReplaceAllLiteralString(built.Body.String(),
		`<meta name="service-api-origin" content="`+*content+`">`)
	if production {
		text = strings.Replace(text, "<html data-development ", "<html ", 1)
	}
	if build != "" {
		text = buildElement.ReplaceAllString(text, `<meta name="narthex-build" content="`+build+`">`)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

var originElement = regexp.MustCompile(`<meta name="service-api-origin" content="[^"]*">`)

var buildElement = regexp.MustCompile(`<meta name="narthex-build" content="[^"]*">`)

// setBuild makes the page claim another build from now on.
func (h *fixture) setBuild(build string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build = build
}

// awaitRead waits until the page has sent all requests that it sends when it is opened, and has received the
// responses.
func (h *fixture) awaitRead(p *tab) {
	p.t.Helper()
	h.awaitReadBut(p, 0)
}

// awaitReadBut does so while a number of requests is held back.
func (h *fixture) awaitReadBut(p *tab, held int) {
	p.t.Helper()
	p.runScript(`await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => ` +
		`setTimeout(done))))`)
	p.waitUntil("responses to all requests", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.answering == held
	})
}

func (h *fixture) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	h.mu.Lock()
	h.received = append(h.received, r.Method+" "+r.URL.RequestURI())
	if h.bodies == nil {
		h.bodies = map[string]string{}
	}
	h.bodies[r.Method+" "+r.URL.Path] = string(body)
	h.answering++
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.answering--
	}()
	result, known := h.responses[r.Method+" "+r.URL.RequestURI()]
	if !known {
		result, known = h.responses[r.Method+" "+r.URL.Path]
	}
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
		h.platform.ServeHTTP(w, r)
		return
	}
	response := &checkedResponse{ResponseWriter: w}
	result(response, r)
	if err := response.check(r); err != nil {
		h.t.Errorf("a canned answer is not as documented: %v", err)
	}
}

// handle sets the handler of a route: "METHOD path", where a path may end in /*, or have a query.
func (h *fixture) handle(route string, result http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.responses[route] = result
}

// restore lets the house respond to a route again.
func (h *fixture) restore(route string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.responses, route)
}

// sent returns the body of the last request of a route.
func (h *fixture) sent(route string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bodies[route]
}

// setOrigin sets the API's origin in the page. Call it before the page is opened.
func (h *fixture) setOrigin(text string) { h.origin = &text }

// respondStrangely sets a fixed response that the platform never gives.
func (h *fixture) respondStrangely(route string, status int, body string) {
	h.handle(route, func(w http.ResponseWriter, _ *http.Request) { replyStrange(w, status, body) })
}

// respond sets a fixed response.
func (h *fixture) respond(route string, status int, body string) {
	h.handle(route, func(w http.ResponseWriter, _ *http.Request) { reply(w, status, body) })
}

// requests returns the API requests so far, in order.
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
	w.Header().Set("X-Request-Id", "0123456789abcdef")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// replyStrange responds as the platform never does: as a proxy in front of it, or as another version.
func replyStrange(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
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

// module returns one entry of the navigation; more replaces fields of its ui.
func module(id, name string, more object) object {
	ui := object{
		"moduleId": id, "name": name, "version": "1.0.0", "artifactUrl": "/api/v1/module-ui/" + id + "/1.0.0",
		"apiRoot": "/api/v1/modules/" + id, "realtimeRoot": "/api/v1/module-realtime/" + id,
		"icon": nil, "permissions": []string{}, "contributions": []object{},
	}
	for field, value := range more {
		ui[field] = value
	}
	return object{"moduleId": id, "name": name, "order": nil, "ui": ui}
}

// setNavigation sets the modules that the signed-in person may open, which are in no group.
func (h *fixture) setNavigation(modules ...object) {
	h.respondJSON("GET /api/v1/dashboard/navigation", 200, object{
		"groups": []object{}, "ungrouped": modules, "permissions": []string{},
	})
}

// setModuleScript publishes a module's UI: either the body of its mount function, or a whole script with an
// export.
func (h *fixture) setModuleScript(id, text string) {
	if !strings.Contains(text, "export") {
		text = mounting(text)
	}
	h.setScript("/api/v1/module-ui/"+id+"/1.0.0", text)
}

// setScript publishes a script.
func (h *fixture) setScript(path, text string) {
	h.handle("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = io.WriteString(w, text)
	})
}

// mounting returns the script of a module's UI with this body of its mount function.
func mounting(body string) string {
	return `export default { narthex: "module-ui", abi: 1, definition: { mount(container, context) {` + body +
		`} } };`
}
