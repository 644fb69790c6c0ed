package browsertest

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// testLastModuleIsPreloaded: the page requests the principal before its own script has loaded, and loads the
// script of the last shown module before that response arrives.
func testLastModuleIsPreloaded(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	p := h.open("/#/m/stage", desktop)
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
	h.handle("GET /api/v1/principal", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-asked:
			h.platform.ServeHTTP(w, r)
		case <-time.After(patience / 2):
			reply(w, 503, `{"code":"STORE_UNAVAILABLE"}`)
		}
	})
	routes := []string{"GET " + scriptRoute, "GET /api/v1/principal", "GET /api/v1/dashboard/navigation"}
	before := map[string]int{}
	for _, route := range routes {
		before[route] = h.countRequests(route)
	}
	p.runScript("location.reload()")
	p.waitForText("On stage again.")
	for _, route := range routes {
		if n := h.countRequests(route) - before[route]; n != 1 {
			t.Errorf("%s was asked for %d times, want once", route, n)
		}
	}
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetBlockedURLs, network.SetBlockedURLsParams{
			URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/assets/*", Block: true}},
		})
		return err
	}))
	p.reload() // the reloaded page does not have the script yet
	for _, route := range routes {
		p.waitUntil(route+" without the script", func() bool { return h.countRequests(route)-before[route] == 2 })
	}
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetBlockedURLs, network.SetBlockedURLsParams{})
		return err
	}))
	p.reload()
	p.waitForText("On stage again.")
	h.restore("GET /api/v1/principal")
	p.runScript(`location.hash = "#/m/rota"`)
	p.waitForText("Everybody's turn.")
	p.waitFor(`localStorage["narthex.module"] === "/api/v1/module-ui/rota/1.0.0"`)
	p.click("button", "Ada, account")
	p.click("button", "Sign out")
	p.waitForHeading("Sign in")
	p.waitFor(`localStorage["narthex.module"] === undefined && localStorage["narthex.frame"] === undefined`)
}

// testPreloadedNavigationIsDropped: a navigation that the page requested before the sign-in is not shown to
// the person who then signs in.
func testPreloadedNavigationIsDropped(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	p := h.open("/#/m/stage", desktop)
	p.waitForText("On stage.")
	p.waitFor(`localStorage["narthex.module"] !== undefined`)
	h.endSession()
	h.setNavigation(module("rota", "Theirs", nil)) // as if it had still been somebody's
	asked := h.countRequests("GET /api/v1/dashboard/navigation")
	p.reload()
	p.waitForHeading("Sign in")
	if n := h.countRequests("GET /api/v1/dashboard/navigation") - asked; n != 1 {
		t.Errorf("the navigation was asked for %d times by the page itself, want once", n)
	}
	h.restore(navigationRoute)
	p.fill("E-mail", h.email)
	p.fill("Password", d.password)
	p.click("button", "Sign in")
	p.find("link", "Rota")
	p.waitForNone("link", "Theirs")
}

// testPreloadedModuleIsGone: a module whose preload fails is loaded as if there had been no preload.
func testPreloadedModuleIsGone(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	p := h.open("/#/m/stage", desktop)
	p.waitForText("On stage.")
	failed := false
	h.handle("GET /api/v1/module-ui/stage/1.0.0", func(w http.ResponseWriter, r *http.Request) {
		if !failed {
			failed = true
			reply(w, 503, `{"code":"NOT_READY"}`)
			return
		}
		h.platform.ServeHTTP(w, r)
	})
	p.runScript(`document.querySelector("[data-module]").textContent = ""; location.reload()`)
	p.waitForText("On stage.")
}
