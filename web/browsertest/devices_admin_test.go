package browsertest

import (
	"slices"
	"strings"
	"testing"
)

const devicesScreen = "/#/admin/screens"

// TestDevices pairs and keeps the screens of a house. All tests keep the same ones, so they run one after
// another.
func TestDevices(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Pairing":        testPairingByCode,
		"PairingByLink":  testPairingByLink,
		"PairingRefused": testPairingRefused,
		"WrongCodes":     testWrongCodes,
		"ScreensAreKept": testScreensAreKept,
	} {
		t.Run(name, func(t *testing.T) {
			d.exec(t, `TRUNCATE core.device, core.device_pairing CASCADE`)
			d.addScreens(t, `('Foyer', 'announcements', interval '1 minute'),
				('Hall left', 'announcements', interval '72 hours 1 minute'), ('Choir', 'stage', interval '1 minute')`)
			test(t, d)
		})
	}
}

// addScreens adds paired screens: SQL of their names, modules, and how long ago each was seen.
func (d *devServer) addScreens(t *testing.T, screens string) {
	t.Helper()
	d.exec(t, `
		WITH screen AS (
			INSERT INTO core.device (label, module_id, credential_hash, last_seen_at)
			SELECT label, module, sha256(label::bytea), now() - silent
			FROM (VALUES `+screens+`) AS known (label, module, silent)
			RETURNING id, module_id)
		INSERT INTO core.device_permission (device_id, permission_id)
		SELECT id, module_id || '.display.view' FROM screen`)
}

// newScreen opens the display of a module on a screen that is not paired, and returns its code.
func newScreen(t *testing.T, h *fixture, module string) (screen *tab, code string) {
	t.Helper()
	screen = openPage(t, h.URL+"/display/"+module, tv)
	return screen, screen.pairingCode()
}

// keeper is a front for somebody who manages screens.
func (d *devServer) keeper(t *testing.T) *fixture {
	t.Helper()
	h := d.front(t)
	h.email = d.member(t, "Ada", "core.devices.manage")
	h.session = d.signIn(t, h.email)
	return h
}

// testPairingByCode pairs a screen by its code, which may be typed with spaces or hyphens.
func testPairingByCode(t *testing.T, d *devServer) {
	h := d.keeper(t)
	screen, code := newScreen(t, h, "stage")
	p := h.open(devicesScreen, phone)
	p.waitForHeading("Screens")
	p.waitForText("3 screens, 1 silent")
	p.waitForText("not seen for 3 days")
	p.waitForText(h.URL + "/display/stage")
	p.fill("Code on the screen", code[:3]+"-"+code[3:4]+" "+code[4:])
	p.key("\r")
	p.waitForText("Code " + code[:3] + " " + code[3:] + " asks to show: Stage")
	p.waitForText("Chromium on Linux")
	p.waitFor(`document.activeElement.labels[0].textContent === "Name this screen"`)
	p.click("button", "Pair this screen")
	p.waitForText("Give it a name, so that people know which one it is.")
	p.waitForText("Look at the screen first.")
	if n := h.countRequests("POST /api/v1/device-pairing/" + code + "/approve"); n != 0 {
		t.Errorf("%d approvals before anybody said that they see the code, want none", n)
	}
	p.fill("Name this screen", "Back wall")
	p.click("checkbox", "I can see this code on the screen right now")
	p.click("button", "Pair this screen")
	p.waitForAnnouncement("Paired as “Back wall”")
	p.waitForText("4 screens, 1 silent")
	screen.waitFor(`document.querySelector(".screen")?.dataset.screen === "logo"`)
}

// testPairingByLink opens the address in the screen's QR code, which contains the pairing code.
func testPairingByLink(t *testing.T, d *devServer) {
	h := d.keeper(t)
	_, code := newScreen(t, h, "stage")
	p := h.open(devicesScreen+"/"+code, phone)
	p.waitForText("Code " + code[:3] + " " + code[3:] + " asks to show: Stage")
}

// testPairingRefused: the reason why a code is refused appears beside the field.
func testPairingRefused(t *testing.T, d *devServer) {
	for name, row := range map[string]struct {
		before func(h *fixture, p *tab, code string)
		words  string
	}{
		"expired": {func(_ *fixture, _ *tab, code string) {
			d.exec(t, `UPDATE core.device_pairing SET expires_at = now() WHERE code = '`+code+`'`)
		}, "That code has expired. Use the one on the screen now."},
		"decided": {func(_ *fixture, _ *tab, code string) {
			d.call(t, "POST", "/api/v1/device-pairing/"+code+"/approve", object{"label": "Theirs"})
		}, "Already paired."},
		"forbidden": {func(h *fixture, p *tab, _ string) {
			t.Cleanup(h.withdraw(p, h.email, "core.devices.manage", "GET /api/v1/devices"))
		}, "You no longer have access (Pair and manage screens)."},
		"too often": {func(h *fixture, _ *tab, code string) {
			h.respond("POST /api/v1/device-pairing/"+code+"/approve", 429, `{"code":"TOO_MANY_REQUESTS"}`)
		}, "You can try again in 10 s."},
		"offline": {func(_ *fixture, p *tab, _ string) { p.offline(true) },
			"You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "expired")
			h := d.keeper(t)
			_, code := newScreen(t, h, "stage")
			p := h.open(devicesScreen+"/"+code, desktop)
			p.fill("Name this screen", "Back wall")
			p.click("checkbox", "I can see this code on the screen right now")
			row.before(h, p, code)
			p.click("button", "Pair this screen")
			p.waitForVisibleText(row.words)
			p.offline(false)
		})
	}
}

// testWrongCodes: after five wrong codes the form pauses.
func testWrongCodes(t *testing.T, d *devServer) {
	h := d.keeper(t)
	_, code := newScreen(t, h, "stage")
	wrong := []string{"000001", "000002", "000003", "000004", "000005"}
	if slices.Contains(wrong, code) {
		t.Skip("the screen has one of the codes that should be wrong")
	}
	p := h.open(devicesScreen, desktop)
	for _, wrong := range wrong {
		p.fill("Code on the screen", wrong)
		p.key("\r")
		// the answer for this code, because the fault of the one before is still shown
		p.waitFor(`performance.getEntriesByType("resource").some(({ name, responseEnd }) =>
			responseEnd > 0 && name.endsWith("/requests/` + wrong + `"))`)
		h.awaitRead(p)
		p.waitFor(`document.querySelector(".host-find-code .d-wrong")`)
	}
	p.waitForText("Look at the code again. Next try in ")
	p.waitFor(`document.querySelector(".host-find-code button").disabled`)
	p.fill("Code on the screen", code)
	p.key("\r")
	p.assertNoText("asks to show")
}

// testScreensAreKept renames and removes screens, and shows changes of another administrator.
func testScreensAreKept(t *testing.T, d *devServer) {
	p := d.keeper(t).open(devicesScreen, desktop)
	p.chooseMenuItem("More for Hall left", "Rename")
	p.fill("Name", "Hall right")
	p.click("button", "Save")
	p.waitForAnnouncement("Renamed.")
	p.chooseMenuItem("More for Hall right", "Remove …")
	p.waitForText("The screen shows nothing more after five minutes at most.")
	p.click("button", "Remove")
	p.waitForAnnouncement("Hall right is removed. The screen shows nothing more after five minutes at most.")
	p.waitForNone("button", "More for Hall right")
	foyer := d.query(t, `SELECT id::text FROM core.device WHERE label = 'Foyer'`)
	d.call(t, "PUT", "/api/v1/devices/"+foyer, object{"label": "Entrance"})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.find("button", "More for Entrance")
	if !strings.Contains(eval[string](p, "document.body.innerText"), "2 screens, 0 silent") {
		t.Error("the removed screen is counted")
	}
}
