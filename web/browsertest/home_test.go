package browsertest

import (
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// setNamedHouse sets a name and a colour for the house, and an account for the signed-in person.
func setNamedHouse(h *fixture) {
	h.respond("GET /api/v1/house", 200,
		`{"name":"Hill Street Church","accent":"copper","language":"en","rev":1}`)
	h.respondJSON("GET /api/v1/account", 200,
		object{"userId": person, "email": "reader@example.org", "name": "Reader 1"})
}

// TestHome: Home greets the person by name and has a link to each module in the order of the navigation. The
// content of the module "home" is between the two, and that module has no link.
func TestHome(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setNamedHouse(h)
	h.setNavigation(nil, []object{module("home", "Home cards", nil), module("loose", "Loose", nil)},
		group("a", "Sunday", module("stage", "Stage", object{"icon": "lectern"}), module("rota", "Rota", nil)))
	h.setModuleScript("home", `container.textContent = "You read on Sunday.";`)
	h.setModuleScript("stage", `container.textContent = "On stage.";`)
	for _, v := range []view{desktop, phone} {
		p := openPage(t, h.URL, v)
		p.waitForHome()
		p.waitForText("You read on Sunday.")
		p.waitFor(`/^Good (morning|afternoon|evening), Reader 1$/.test(document.querySelector("h1").innerText)`)
		const doors = `[...document.querySelectorAll("main li a")].map((e) => e.innerText).join("|")`
		if said := eval[string](p, doors); said != "Stage|Rota|Loose" {
			t.Errorf("the doors say %s", said)
		}
		p.waitFor(`!document.querySelector("#navigation").textContent.includes("Home cards")`)
		p.assertFits()
		p.runScript(`document.querySelector("main li a").click()`)
		p.waitForHeading("Stage")
		p.do(chromedp.NavigateBack())
		p.waitForHome()
	}
}

// TestHomeOfANewInstallation: without any module an administrator sees links to every screen that they may
// open. A person who may open none is shown how to get access.
func TestHomeOfANewInstallation(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	setAdministrator(h)
	p := openPage(t, h.URL, desktop)
	p.waitForHome()
	p.waitFor(`[...document.querySelectorAll("main li a")].map((e) => e.innerText).join("|") === "Modules"`)
	p.assertNoText("Nothing here for you yet.")
	p.assertAccessible("Home without modules")
	p.runScript(`document.querySelector("main li a").click()`)
	p.waitForHeading("Modules")
	h.setNavigation(nil, nil)
	p.do(chromedp.NavigateBack())
	p.do(chromedp.Reload())
	p.waitForText("Nothing here for you yet.")
}

// TestHomeModuleFails: a failure of the module "home" does not hide the links.
func TestHomeModuleFails(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("home", "Cards", nil), module("notes", "Notes", nil)})
	h.setModuleScript("home", `throw new Error("no");`)
	p := openPage(t, h.URL, desktop)
	p.waitForText("Cards could not be shown.")
	p.click("link", "Notes")
	p.waitForHeading("Notes")
}

// TestHouse: every screen shows the name of the house, from the sign-in on. It is requested after the
// principal; until the response arrives, the last known name is shown.
func TestHouse(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	setNamedHouse(h)
	h.setNavigation(nil, nil)
	const copper = `getComputedStyle(document.querySelector(".d-mark")).color === "rgb(154, 74, 29)"`
	p := openPage(t, h.URL, desktop)
	p.waitForHeading("Sign in")
	p.waitForText("Hill Street Church")
	p.waitFor(copper)
	if asked := h.requests(); asked[0] != "GET /api/v1/principal" || asked[1] != "GET /api/v1/house" {
		t.Errorf("asked %q", asked)
	}
	held := make(chan struct{})
	h.handle("GET /api/v1/house", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
		case <-r.Context().Done():
		}
		reply(w, 200, `{"name":null,"accent":"teal","language":"en","rev":1}`)
	})
	p.do(chromedp.Reload())
	p.waitForHeading("Sign in")
	p.waitForText("Hill Street Church")
	p.waitFor(copper)
	close(held)
	p.waitForText("Dashboard")
	p.assertNoText("Hill Street Church")
	p.waitFor(`document.documentElement.dataset.accent === "teal"`)
	p.waitFor(`document.querySelector("link[rel=icon]").href.includes("026b75")`)
}

// TestHouseOfAnotherShape: a response of an unexpected shape changes and hides nothing.
func TestHouseOfAnotherShape(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"accent": `{"name":"Church","accent":"pink","language":"en","rev":1}`,
		"name":   `{"accent":"teal","language":"en","rev":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.respond("GET /api/v1/house", 200, body)
			p := openPage(t, h.URL, desktop)
			p.waitForHeading("Sign in")
			p.waitUntil("the question", func() bool { return h.countRequests("GET /api/v1/house") > 0 })
			if kept := eval[string](p, stored); kept != `[[],[],""]` {
				t.Errorf("kept in the browser: %s", kept)
			}
		})
	}
}

// TestAccount: a person changes their name, which then appears in the header, and signs out on every device.
func TestAccount(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setNamedHouse(h)
	h.setNavigation(nil, []object{module("notes", "Notes", nil)})
	sent := make(chan string, 1)
	h.handle("PUT /api/v1/account", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		account := `{"userId":"` + person + `","email":"reader@example.org","name":"Reader Two"}`
		h.respond("GET /api/v1/account", 200, account)
		reply(w, 200, account)
	})
	p := openPage(t, h.URL+"/#/account", phone)
	p.waitForHeading("Account")
	p.waitForText("reader@example.org")
	p.fill("Name", "  ")
	p.click("button", "Save name")
	p.waitForVisibleText("Type your name.")
	p.fill("Name", " Reader Two ")
	p.click("button", "Save name")
	if body := <-sent; body != `{"name":"Reader Two"}` {
		t.Errorf("sent %s", body)
	}
	p.waitForAnnouncement("Saved")
	p.find("button", "Reader Two, account")
	p.waitFor(`document.querySelector(".host-account .d-tile").textContent === "RT"`)
	p.assertFits()

	p.fill("Name", "Half")
	p.runScript(`document.querySelector(".host-brand").click()`)
	p.find("heading", "Leave without saving?")
	p.click("button", "Stay")

	refused := true
	h.handle("POST /api/v1/account/sign-out-everywhere", func(w http.ResponseWriter, _ *http.Request) {
		if refused {
			reply(w, 503, `{"code":"STORE_UNAVAILABLE"}`)
			return
		}
		h.setAnonymous()
		w.WriteHeader(204)
	})
	p.click("button", "Sign out everywhere")
	p.find("heading", "Sign out everywhere?")
	p.click("button", "Stay signed in")
	if n := h.countRequests("POST /api/v1/account/sign-out-everywhere"); n > 0 {
		t.Errorf("signed out %d times without leave", n)
	}
	sure := func() {
		p.runScript(`[...document.querySelectorAll("main button")].at(-1).click()`)
		p.find("heading", "Sign out everywhere?")
		p.runScript(`document.querySelector("dialog button.d-danger").click()`)
	}
	sure()
	p.waitForAnnouncement("You are still signed in.")
	refused = false
	p.click("button", "Try again")
	p.waitForHeading("Sign in")
}

// TestNameRefused: after a refusal the typed name stays, with the reason beside it.
func TestNameRefused(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setNamedHouse(h)
	h.setNavigation(nil, nil)
	h.respond("PUT /api/v1/account", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := openPage(t, h.URL+"/#/account", desktop)
	p.fill("Name", "Reader Two")
	p.click("button", "Save name")
	p.waitForText("STORE_UNAVAILABLE, ")
	p.waitFor(`document.querySelector("[autocomplete=name]").value === "Reader Two"`)
}
