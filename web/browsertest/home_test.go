package browsertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestHomeAndAccount uses Home and the screen Account in a house that has a name and groups of modules.
func TestHomeAndAccount(t *testing.T) {
	t.Parallel()
	d := startNamedHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Home":                testHome,
		"OwnDay":              testOwnDay,
		"House":               testHouse,
		"HouseOfAnotherShape": testHouseOfAnotherShape,
		"Account":             testAccount,
		"NameRefused":         testNameRefused,
		"OwnData":             testOwnData,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

// startNamedHouse starts a house with a name and a colour, whose modules are in two groups.
func startNamedHouse(t *testing.T) *devServer {
	t.Helper()
	d := startHouse(t)
	d.call(t, "PUT", "/api/v1/house",
		object{"name": "Hill Street Church", "accent": "copper", "language": "en", "timeZone": nil,
			"secondFactor": "optional", "rev": 0})
	const navigation = "/api/v1/dashboard/navigation"
	for order, label := range []string{"Sunday", "Foyer"} {
		d.call(t, "PUT", navigation+"/groups/"+strings.ToLower(label),
			object{"label": label, "order": 1024 * (order + 1)})
	}
	for order, module := range []string{"stage", "rota"} {
		d.call(t, "PUT", navigation+"/placements/"+module,
			object{"groupId": "sunday", "order": 1024 * (order + 1)})
	}
	d.call(t, "PUT", navigation+"/placements/announcements", object{"groupId": "foyer", "order": 1024})
	return d
}

// testHome: Home greets the person by name and has a link to each module in the order of the navigation. The
// content of the module "home" is between the two, and that module has no link.
func testHome(t *testing.T, d *devServer) {
	h := d.front(t)
	email := d.member(t, "Reader 1", "rota.manage")
	for _, v := range []view{desktop, phone} {
		p := h.openAs(email, "/", v)
		p.waitForHome()
		p.waitForText("Coming up") // a tile of the calendar
		p.waitFor(`/^Good (morning|afternoon|evening), Reader 1$/.test(document.querySelector("h1").innerText)`)
		const names = `[...document.querySelectorAll("main li a.host-doorway bdi:first-of-type")]
			.map((e) => e.innerText).join("|")`
		if said := eval[string](p, names); said != "Stage|Rota|Announcements|Calendar|Checklists" {
			t.Errorf("the doors say %s", said)
		}
		p.waitFor(`!/Home.*Home/s.test(document.querySelector("#navigation").textContent)`)
		p.assertFits()
		p.runScript(`document.querySelector("main li a.host-doorway").click()`)
		p.waitForHeading("Stage")
		p.do(chromedp.NavigateBack())
		p.waitForHome()
	}
}

// TestHomeOfANewInstallation: without any module an administrator sees links to every screen that they may
// open. A person who may open none is shown how to get access.
func TestHomeOfANewInstallation(t *testing.T) {
	t.Parallel()
	d := startIn(t, install(t))
	id := d.addPerson(t, "ada@example.org", "Ada")
	d.grant(t, id, "core.modules.lifecycle.manage", "NULL")
	p := d.openAs(t, "ada@example.org", "/", desktop)
	p.waitForHome()
	p.waitFor(`[...document.querySelectorAll("main li a")].map((e) => e.innerText).join("|") === "Modules"`)
	p.assertNoText("Nothing here for you yet.")
	p.assertAccessible("Home without modules")
	p.runScript(`document.querySelector("main li a").click()`)
	p.waitForHeading("Modules")
	d.exec(t, `DELETE FROM core.permission_grant WHERE person_id = '`+id+`'`)
	p.do(chromedp.NavigateBack())
	p.reload()
	p.waitForText("Nothing here for you yet.")
	p.waitForText(id)
}

// testHouse: every screen shows the name of the house, from the sign-in on. It is requested together with the
// principal; until the response arrives, the last known name is shown.
func testHouse(t *testing.T, d *devServer) {
	h := d.front(t)
	const copper = `getComputedStyle(document.querySelector(".d-mark")).color === "rgb(154, 74, 29)"`
	p := openPage(t, h.URL, desktop)
	p.waitForHeading("Sign in")
	p.waitForText("Hill Street Church")
	p.waitFor(copper)
	asked := h.requests()
	slices.Sort(asked)
	if !slices.Equal(asked, []string{"GET /api/v1/house", "GET /api/v1/principal"}) {
		t.Errorf("asked %q", asked)
	}
	held := make(chan struct{})
	h.handle("GET /api/v1/house", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
			// a later one, for this page alone
			reply(w, 200, `{"name":null,"accent":"teal","language":"en","timeZone":null`+
				`,"secondFactor":"optional","rev":2}`)
		case <-r.Context().Done():
		}
	})
	p.reload()
	p.waitForHeading("Sign in")
	p.waitForText("Hill Street Church")
	p.waitFor(copper)
	close(held)
	p.waitForText("Dashboard")
	p.assertNoText("Hill Street Church")
	p.waitFor(`document.documentElement.dataset.accent === "teal"`)
	p.waitFor(`document.querySelector("link[rel=icon]").href.includes("026b75")`)
}

// testHouseOfAnotherShape: a response of an unexpected shape changes and hides nothing.
func testHouseOfAnotherShape(t *testing.T, d *devServer) {
	for name, body := range map[string]string{
		"accent": `{"name":"Church","accent":"pink","language":"en","timeZone":null` +
			`,"secondFactor":"optional","rev":1}`,
		"name": `{"accent":"teal","language":"en","timeZone":null,"secondFactor":"optional","rev":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "accent")
			t.Parallel()
			h := d.front(t)
			h.respondStrangely("GET /api/v1/house", 200, body)
			p := openPage(t, h.URL, desktop)
			p.waitForHeading("Sign in")
			p.waitUntil("the question", func() bool { return h.countRequests("GET /api/v1/house") > 0 })
			if kept := eval[string](p, stored); kept != `[[],[],""]` {
				t.Errorf("kept in the browser: %s", kept)
			}
		})
	}
}

// testAccount: a person changes their name, which then appears in the header, and signs out on every device.
func testAccount(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Reader 1")
	p := h.openAs(email, "/#/account", phone)
	p.waitForHeading("Account")
	p.waitForText(email)
	p.fill("Name", "  ")
	p.click("button", "Save name")
	p.waitForVisibleText("Type your name.")
	p.fill("Name", " Reader Two ")
	p.click("button", "Save name")
	p.waitForAnnouncement("Saved")
	if got := d.query(t, `SELECT name FROM core.person WHERE email = $1`, email); got != "Reader Two" {
		t.Errorf("the name is %q, want it without the spaces around it", got)
	}
	p.find("button", "Reader Two, account")
	p.waitFor(`document.querySelector(".host-account .d-tile").textContent === "RT"`)
	p.assertFits()

	p.fill("Name", "Half")
	p.runScript(`document.querySelector(".host-brand").click()`)
	p.waitForHome()
	p.waitForAnnouncement("Your draft is kept.")
	p.runScript(`history.back()`)
	p.waitForHeading("Account")
	p.waitFor(`document.querySelector(".host-name-form input").value === "Half"`)

	const everywhere = "POST /api/v1/account/sign-out-everywhere"
	other := d.signIn(t, email) // on another device
	h.respond(everywhere, 503, `{"code":"STORE_UNAVAILABLE"}`)
	p.click("button", "Sign out everywhere")
	p.find("heading", "Sign out everywhere?")
	p.waitForText("What you have not saved is lost.")
	p.click("button", "Stay signed in")
	if n := h.countRequests(everywhere); n > 0 {
		t.Errorf("signed out %d times without leave", n)
	}
	p.runScript(`[...document.querySelectorAll("main button")].at(-1).click()`)
	p.find("heading", "Sign out everywhere?")
	p.runScript(`document.querySelector("dialog button.d-danger").click()`)
	p.waitForAnnouncement("You are still signed in.")
	h.restore(everywhere)
	p.click("button", "Try again")
	p.waitForHeading("Sign in")
	_, body := d.send(t, other, "GET", "/api/v1/principal", nil)
	if kind := decoded(t, body)["kind"]; kind != "anonymous" {
		t.Errorf("the session of the other device is %v, want anonymous", kind)
	}
}

// testNameRefused: after a refusal the typed name stays, with the reason beside it.
func testNameRefused(t *testing.T, d *devServer) {
	h := d.front(t)
	h.respond("PUT /api/v1/account", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := h.openAs(d.member(t, "Reader 1"), "/#/account", desktop)
	p.fill("Name", "Reader Two")
	p.click("button", "Save name")
	p.waitForText("STORE_UNAVAILABLE, ")
	p.waitFor(`document.querySelector("[autocomplete=name]").value === "Reader Two"`)
}

// testOwnData: a person downloads their own data. A module whose part is missing is named, and a refusal is
// shown beside the button.
func testOwnData(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Reader 1")
	const route = "GET /api/v1/account/export"
	p := h.openAs(email, "/#/account", phone)
	p.waitForHeading("Account")
	p.runScript(`
		window.saved = [];
		URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return "#"; };
		HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };`)
	h.respond(route, 503, `{"code":"STORE_UNAVAILABLE"}`)
	p.click("button", "Download my data")
	p.waitFor(`document.querySelector(".host-settings .d-note")`)
	h.handle(route, func(w http.ResponseWriter, r *http.Request) { // as if rota had not answered
		r.Header.Set("Accept-Encoding", "identity")
		whole := httptest.NewRecorder()
		h.platform.ServeHTTP(whole, r)
		var data struct {
			ExportedAt string          `json:"exportedAt"`
			Core       json.RawMessage `json:"core"`
			Modules    map[string]any  `json:"modules"`
			Missing    []string        `json:"missing"`
		}
		if err := json.Unmarshal(whole.Body.Bytes(), &data); err != nil {
			t.Errorf("the export: %v", err)
		}
		delete(data.Modules, "rota")
		data.Missing = []string{"rota"}
		text, _ := json.Marshal(data)
		reply(w, 200, string(text))
	})
	p.click("button", "Download my data")
	p.waitForAnnouncement("Downloaded")
	p.waitForText("because rota did not answer")
	h.restore(route)
	p.click("button", "Download my data")
	p.waitFor(`saved.length === 4`)
	p.waitFor(`!document.body.innerText.includes("because rota")`)
	p.waitFor(`saved.filter((s) => s === "narthex-data.json").length === 2`)
	p.waitFor(`saved.slice(2).some((text) => text.includes('"email": "` + email + `"'))`)
	p.assertFits()
	p.screenshot("own-data")
}
