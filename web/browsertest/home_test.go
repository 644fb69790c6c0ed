package browsertest

import (
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// owned lets the house have a name and a colour, and the person who is signed in an account.
func owned(h *house) {
	h.answer("GET /api/v1/house", 200, `{"name":"Hill Street Church","accent":"copper","language":"en"}`)
	h.json("GET /api/v1/account", 200,
		object{"userId": person, "email": "reader@example.org", "name": "Reader 1"})
}

// TestHome greets by name and has a door to each module in the order of the navigation; what the module
// "home" shows stands between, and that module is listed nowhere.
func TestHome(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	owned(h)
	h.navigation(nil, []object{module("home", "Home cards", nil), module("loose", "Loose", nil)},
		group("a", "Sunday", module("stage", "Stage", object{"icon": "lectern"}), module("rota", "Rota", nil)))
	h.script("home", `container.textContent = "You read on Sunday.";`)
	h.script("stage", `container.textContent = "On stage.";`)
	for _, v := range []view{desktop, phone} {
		p := open(t, h.URL, v)
		p.home()
		p.says("You read on Sunday.")
		p.wait(`/^Good (morning|afternoon|evening), Reader 1$/.test(document.querySelector("h1").innerText)`)
		const doors = `[...document.querySelectorAll("main li a")].map((e) => e.innerText).join("|")`
		if said := eval[string](p, doors); said != "Stage|Rota|Loose" {
			t.Errorf("the doors say %s", said)
		}
		p.wait(`!document.querySelector("#navigation").textContent.includes("Home cards")`)
		p.fits()
		p.run(`document.querySelector("main li a").click()`)
		p.headed("Stage")
		p.do(chromedp.NavigateBack())
		p.home()
	}
}

// TestHomeModuleFails: what the module "home" does is no reason to hide the doors.
func TestHomeModuleFails(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	h.navigation(nil, []object{module("home", "Cards", nil), module("notes", "Notes", nil)})
	h.script("home", `throw new Error("no");`)
	p := open(t, h.URL, desktop)
	p.says("Cards could not be shown.")
	p.press("link", "Notes")
	p.headed("Notes")
}

// TestHouse: whose house it is stands on every screen, from the sign-in on. It is asked for after the
// principal; until the answer comes, what was last seen is shown.
func TestHouse(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owned(h)
	h.navigation(nil, nil)
	const copper = `getComputedStyle(document.querySelector(".mark")).color === "rgb(154, 74, 29)"`
	p := open(t, h.URL, desktop)
	p.headed("Sign in")
	p.says("Hill Street Church")
	p.wait(copper)
	if asked := h.requests(); asked[0] != "GET /api/v1/principal" || asked[1] != "GET /api/v1/house" {
		t.Errorf("asked %q", asked)
	}
	held := make(chan struct{})
	h.on("GET /api/v1/house", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
		case <-r.Context().Done():
		}
		reply(w, 200, `{"name":null,"accent":"teal","language":"en"}`)
	})
	p.do(chromedp.Reload())
	p.headed("Sign in")
	p.says("Hill Street Church")
	p.wait(copper)
	close(held)
	p.says("Dashboard")
	p.silent("Hill Street Church")
	p.wait(`document.documentElement.dataset.accent === "teal"`)
	p.wait(`document.querySelector("link[rel=icon]").href.includes("026b75")`)
}

// TestHouseOfAnotherShape: an answer that nobody understands changes nothing, and hides nothing.
func TestHouseOfAnotherShape(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"accent": `{"name":"Church","accent":"pink","language":"en"}`, "name": `{"accent":"teal","language":"en"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.answer("GET /api/v1/house", 200, body)
			p := open(t, h.URL, desktop)
			p.headed("Sign in")
			p.until("the question", func() bool { return h.count("GET /api/v1/house") > 0 })
			if kept := eval[string](p, stored); kept != `[[],[],""]` {
				t.Errorf("kept in the browser: %s", kept)
			}
		})
	}
}

// TestAccount: a person changes their name, which is then in the header, and signs out on every device.
func TestAccount(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	owned(h)
	h.navigation(nil, []object{module("notes", "Notes", nil)})
	sent := make(chan string, 1)
	h.on("PUT /api/v1/account", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		account := `{"userId":"` + person + `","email":"reader@example.org","name":"Reader Two"}`
		h.answer("GET /api/v1/account", 200, account)
		reply(w, 200, account)
	})
	p := open(t, h.URL+"/#/account", phone)
	p.headed("Account")
	p.says("reader@example.org")
	p.fill("Name", "  ")
	p.press("button", "Save name")
	p.sees("Type your name.")
	p.fill("Name", " Reader Two ")
	p.press("button", "Save name")
	if body := <-sent; body != `{"name":"Reader Two"}` {
		t.Errorf("sent %s", body)
	}
	p.hears("Saved")
	p.find("button", "Reader Two, account")
	p.wait(`document.querySelector(".account .tile").textContent === "RT"`)
	p.fits()

	p.fill("Name", "Half")
	p.run(`document.querySelector(".brand").click()`)
	p.find("heading", "Leave without saving?")
	p.press("button", "Stay")

	refused := true
	h.on("POST /api/v1/account/sign-out-everywhere", func(w http.ResponseWriter, _ *http.Request) {
		if refused {
			reply(w, 503, `{"code":"STORE_UNAVAILABLE"}`)
			return
		}
		h.anonymous()
		w.WriteHeader(204)
	})
	p.press("button", "Sign out everywhere")
	p.find("heading", "Sign out everywhere?")
	p.press("button", "Stay signed in")
	if n := h.count("POST /api/v1/account/sign-out-everywhere"); n > 0 {
		t.Errorf("signed out %d times without leave", n)
	}
	sure := func() {
		p.run(`[...document.querySelectorAll("main button")].at(-1).click()`)
		p.find("heading", "Sign out everywhere?")
		p.run(`document.querySelector("dialog button.danger").click()`)
	}
	sure()
	p.hears("You are still signed in.")
	refused = false
	p.press("button", "Try again")
	p.headed("Sign in")
}

// TestNameRefused: what was typed stays, and why it was not saved stands beside it.
func TestNameRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	owned(h)
	h.navigation(nil, nil)
	h.answer("PUT /api/v1/account", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := open(t, h.URL+"/#/account", desktop)
	p.fill("Name", "Reader Two")
	p.press("button", "Save name")
	p.says("STORE_UNAVAILABLE, ")
	p.wait(`document.querySelector("[autocomplete=name]").value === "Reader Two"`)
}
