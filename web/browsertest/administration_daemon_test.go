package browsertest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/narthex-platform/narthex/services/porttest"
)

func (p *tab) signInAs(email, password string) {
	p.t.Helper()
	p.waitForHeading("Sign in")
	p.fill("E-mail", email)
	p.fill("Password", password)
	p.click("button", "Sign in")
}

const rotaSecret = "quite-a-long-secret-of-the-rota"

// TestUnblockingDaemon is walk-through 5 on the real platform: each blocked module shows the reason, and a
// module whose settings were missing runs after they are set and the platform is restarted. A test module
// replaces Rota.
func TestUnblockingDaemon(t *testing.T) {
	leaveToProof(t, "it starts a platform again and again; TestObstacles has the reasons of blocked modules")
	w := &displayFixture{t: t, port: strconv.Itoa(porttest.Free(t)),
		folder:    install(t, "../../modules/announcements", "./testdata/rota"),
		variables: []string{"SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY=" + rotaSecret}}
	countdown := displayOnly("countdown", "1.0.0",
		`"dependencies": { "required": [
			{ "kind": "module", "id": "announcements", "range": "^1.0.0" }] },`, "")
	w.writeModule("countdown", countdown)
	w.initialize(0)
	p := openPage(t, w.origin()+"/#/admin/modules", desktop)
	p.signInAs("owner@example.org", wallPassword)
	p.waitForHeading("Modules")
	p.waitForText("0 running, 3 blocked, 0 off")
	p.waitForText("Needs file storage (“images”). Whoever runs the server sets it up.")
	p.waitForText("Waits for Announcements, which is blocked.")
	p.waitForText("Team name has no value. teamName")
	p.click("link", "Settings of Rota")
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	p.waitForText("Set on the server")
	p.assertNoText(rotaSecret)
	p.fill("Team name", "Welcome team")
	p.fill("Dashboard link", w.origin())
	p.click("button", "What would change?")
	p.waitForText("Rota starts at the next restart.")
	p.click("button", "Close")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.waitForText("1 change waits for a restart.")
	w.daemon.stop(t)
	w.start()
	p.click("button", "Check again")
	p.waitForAnnouncement("Nothing waits for a restart.")
	p.waitForNone("button", "Check again")
	p.click("link", "Modules")
	p.waitForText("1 running, 2 blocked, 0 off")
}

// songs is a module that has only a page.
var songs = map[string]string{
	"module.json": `{ "manifestVersion": 7, "id": "songs", "name": "Songs", "version": "1.0.0",
		"icon": "music", "compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
		"entrypoints": { "ui": "ui/index.js" } }`,
	"ui/index.js": mounting(`container.textContent = "Sing.";`),
}

// startWithSongs starts narthex dev with Songs and with Announcements, which is used in place of Stage, too.
func startWithSongs(t *testing.T) *devServer {
	t.Helper()
	folder := install(t, "../../modules/announcements")
	for name, text := range songs {
		path := filepath.Join(folder, "modules", "songs", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return startIn(t, folder)
}

// TestAdministrationDaemon is walk-throughs 6 and 7 on the real platform.
func TestAdministrationDaemon(t *testing.T) {
	d := startWithSongs(t)
	d.exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'member@example.org', 'Member', true, password_hash
		FROM core.person`)
	p := openPage(t, d.address+navigationScreen, desktop)
	p.signInAs("owner@example.org", d.password)
	p.waitForHeading("Navigation")
	t.Run("organise", func(t *testing.T) { testOrganising(t, d, p) })
	t.Run("pair", func(t *testing.T) { testPairingByHand(t, d, p) })
	t.Run("wrong codes", func(t *testing.T) { testTooManyWrongCodes(t, p) })
}

// testTooManyWrongCodes names so many codes of no screen that the platform refuses further ones. The form
// says so in words, in both languages.
func testTooManyWrongCodes(t *testing.T, p *tab) {
	const codes = `
		for (let n = 0; n < 20; n++) {
			const code = String(n).padStart(6, "0");
			const answer = await fetch("/api/v1/device-pairing/requests/" + code);
			if (answer.status === 429) return; // a wrong code before was one of the twenty
		}`
	p.runScript(codes)
	for language, words := range map[string]string{
		"en": "Too many wrong codes. You can go on in 10 minutes.",
		"de": "Zu viele falsche Codes. In 10 Minuten geht es weiter.",
	} {
		p.runScript(`localStorage.setItem("narthex.language", "` + language + `")`)
		p.reload()
		p.waitFor(`document.documentElement.lang.startsWith("` + language + `")`)
		p.waitFor(`document.querySelector(".host-find-code input")`)
		p.runScript(`document.querySelector(".host-find-code input").focus()`)
		p.key("123456")
		p.key("\r")
		p.waitForText(words)
		p.waitFor(`document.querySelector(".host-find-code button").disabled`)
		p.screenshot("real-wrong-codes-" + language)
	}
}

// testOrganising arranges the navigation by keyboard, then by mouse, and checks the result as a member.
func testOrganising(t *testing.T, d *devServer, p *tab) {
	p.tabTo("Add group")
	p.key("\r")
	p.find("dialog", "Add group")
	p.key("Foyer")
	p.key("\r")
	p.waitForAnnouncement("Foyer added.")
	p.tabTo("Move to: Announcements")
	p.key("\r")
	p.find("menuitem", "Foyer")
	p.key("\r")
	p.waitForAnnouncement("Announcements moved to Foyer, position 1 of 1")
	p.waitFor(`document.activeElement.ariaLabel === "Move Announcements"`)
	p.tabTo("Move to: Songs")
	p.key("\r")
	p.find("menuitem", "Foyer")
	p.key("\r")
	p.waitForAnnouncement("Songs moved to Foyer, position 2 of 2")
	p.waitFor(`document.activeElement.ariaLabel === "Move Songs"`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("Songs moved to Foyer, position 1 of 2")
	p.waitFor(`document.activeElement.ariaLabel === "Move Songs"`)
	p.drag("[data-row=announcements] .d-grip", "[data-row=songs]", -0.4)()
	p.waitForAnnouncement("Announcements moved to Foyer, position 1 of 2")
	p.screenshot("real-navigation")
	member := openPage(t, d.address, phone)
	member.signInAs("member@example.org", d.password)
	member.waitForHome()
	member.runScript(`document.querySelector(".host-menu-button").click()`)
	member.find("navigation", "Modules")
	const sidebar = `document.querySelector(".host-sidebar nav").innerText`
	member.waitFor(sidebar + `.includes("Foyer\nAnnouncements\nSongs")`)
	member.waitForNone("navigation", "Administration")
}

// tabTo moves the focus to a control with the Tab key only.
func (p *tab) tabTo(name string) {
	p.t.Helper()
	for range 200 {
		p.key(kb.Tab)
		here := eval[string](p, `document.activeElement.ariaLabel ?? document.activeElement.innerText.trim()`)
		if here == name {
			return
		}
	}
	p.t.Fatalf("the Tab key does not reach %q", name)
}

// testPairingByHand pairs a screen with the code that it shows. The screen has no person's session, and it is
// still paired after a restart of its browser.
func testPairingByHand(t *testing.T, d *devServer, p *tab) {
	begin := keptProfile(t, d.address+"/display/announcements")
	wall := begin()
	code := wall.pairingCode()
	p.click("link", "Screens")
	p.waitForHeading("Screens")
	p.fill("Code on the screen", code[:3]+" "+code[3:])
	p.click("button", "Find")
	p.waitForText("asks to show: Announcements")
	p.fill("Name this screen", "Back wall")
	p.click("checkbox", "I can see this code on the screen right now")
	p.click("button", "Pair this screen")
	p.waitForAnnouncement("Paired as “Back wall”")
	wall.waitForText(`Paired as "Back wall"`)
	wall.waitForText("Shared lunch")
	cookies, err := chromedp.Call(wall.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(cookies.Cookies) == 0 {
		t.Fatalf("the screen's cookies: %v %v, want its credential", cookies.Cookies, err)
	}
	for _, cookie := range cookies.Cookies {
		if !cookie.HTTPOnly {
			t.Errorf("a script can read the screen's cookie %s, want HttpOnly", cookie.Name)
		}
	}
	wall.waitForWorker()
	p.fill("Code on the screen", code)
	p.click("button", "Find")
	p.waitFor(`document.querySelector(".host-find-code .d-wrong")`)
	wall.endBrowser()
	again := begin()
	again.waitForText("Shared lunch")
	again.runScript(`window.who = await (await fetch("/api/v1/principal")).text()`)
	if who := eval[string](again, "who"); !strings.Contains(who, `"anonymous"`) {
		t.Errorf("the screen is %s to the platform, want anonymous", who)
	}
}
