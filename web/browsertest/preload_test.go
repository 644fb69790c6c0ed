package browsertest

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestLastModuleIsPreloaded: the page asks who is there before it has its script, and loads the script of the
// module that was shown last before the response to that.
func TestLastModuleIsPreloaded(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("stage", "Stage", nil), module("rota", "Rota", nil)})
	h.setModuleScript("stage", `container.textContent = "On stage.";`)
	h.setModuleScript("rota", `container.textContent = "Everybody's turn.";`)
	p := openPage(t, h.URL+"/#/m/stage", desktop)
	p.waitForText("On stage.")
	p.waitFor(`localStorage["narthex.module"] === "/api/v1/module-ui/stage/1.0.0"`)

	const scriptRoute = "/api/v1/module-ui/stage/1.0.0"
	asked, once := make(chan struct{}), sync.Once{}
	h.handle("GET "+scriptRoute, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(asked) })
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write([]byte(mounting(`container.textContent = "On stage again.";`)))
	})
	h.handle("GET /api/v1/principal", func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-asked:
			reply(w, 200, `{"kind":"authenticated","userId":"`+person+`"}`)
		case <-time.After(patience / 2):
			reply(w, 503, `{"code":"STORE_UNAVAILABLE"}`)
		}
	})
	before := h.countRequests("GET " + scriptRoute)
	p.runScript("location.reload()")
	p.waitForText("On stage again.")
	if n := h.countRequests("GET "+scriptRoute) - before; n != 1 {
		t.Errorf("the module's script was asked for %d times, want once", n)
	}
	h.setSignedIn(person)
	p.runScript(`location.hash = "#/m/rota"`)
	p.waitForText("Everybody's turn.")
	p.waitFor(`localStorage["narthex.module"] === "/api/v1/module-ui/rota/1.0.0"`)
	p.click("button", "Account")
	p.click("button", "Sign out")
	p.waitForHeading("Sign in")
	p.waitFor(`localStorage["narthex.module"] === undefined`)
}

// TestPreloadedModuleIsGone: what cannot be preloaded is loaded as if nothing had been.
func TestPreloadedModuleIsGone(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("stage", "Stage", nil)})
	h.setModuleScript("stage", `container.textContent = "On stage.";`)
	p := openPage(t, h.URL+"/#/m/stage", desktop)
	p.waitForText("On stage.")
	script := h.responses["GET /api/v1/module-ui/stage/1.0.0"]
	failed := false
	h.handle("GET /api/v1/module-ui/stage/1.0.0", func(w http.ResponseWriter, r *http.Request) {
		if !failed {
			failed = true
			reply(w, 503, `{"code":"NOT_READY"}`)
			return
		}
		script(w, r)
	})
	p.runScript(`document.querySelector("[data-module]").textContent = ""; location.reload()`)
	p.waitForText("On stage.")
}
