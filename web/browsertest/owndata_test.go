package browsertest

import (
	"net/http"
	"testing"
)

// TestOwnData: a person downloads their own data. A module whose part is missing is named, and a refusal is
// shown beside the button.
func TestOwnData(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setNamedHouse(h)
	h.setNavigation(nil, nil)
	responses := make(chan func(http.ResponseWriter), 1)
	h.handle("GET /api/v1/account/export", func(w http.ResponseWriter, _ *http.Request) { (<-responses)(w) })
	p := openPage(t, h.URL+"/#/account", phone)
	p.runScript(`
		saved = [];
		URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return "#"; };
		HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };`)
	p.waitForHeading("Account")
	press := func(status int, body string) {
		t.Helper()
		p.click("button", "Download my data")
		responses <- func(w http.ResponseWriter) { reply(w, status, body) }
	}
	press(503, `{"code":"STORE_UNAVAILABLE"}`)
	p.waitFor(`document.querySelector(".host-settings .d-note")`)
	press(200, `{"core":{"account":{}},"modules":{},"missing":["songs"]}`)
	p.waitForAnnouncement("Downloaded")
	p.waitForText("because songs did not answer")
	press(200, `{"core":{"account":{}},"modules":{"songs":{}},"missing":[]}`)
	p.waitFor(`saved.length === 4`)
	p.assertNoText("because songs")
	p.waitFor(`saved.filter((s) => s === "narthex-data.json").length === 2`)
	p.waitFor(`saved.some((s) => s.includes('"songs": {}'))`)
	p.assertFits()
	p.screenshot("own-data")
}
