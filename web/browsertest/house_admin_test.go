package browsertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// houseFixture replaces the platform's routes for the house.
type houseFixture struct {
	*modulesFixture
	stored string // the stored document
	backup string
	sent   string // the body of the last write
	status int    // the status of every write, if they are refused
	code   string
}

func newHouseFixture(t *testing.T, h *fixture) *houseFixture {
	t.Helper()
	k := &houseFixture{
		modulesFixture: setModulesFixture(t, h),
		stored:         `{"name":"Hill Street Church","accent":"copper","language":"en","rev":1}`,
		backup:         `{"lastVerifiedAt":"2026-11-15T03:04:05.000Z","verdict":null}`,
	}
	k.handle("GET /api/v1/house", func(w http.ResponseWriter, _ *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		reply(w, 200, k.stored)
	})
	k.handle("GET /api/v1/house/backup", func(w http.ResponseWriter, _ *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		reply(w, 200, k.backup)
	})
	k.handle("PUT /api/v1/house", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.sent = string(body)
		if k.status != 0 {
			reply(w, k.status, `{"code":"`+k.code+`"}`)
			return
		}
		var document object
		if err := json.Unmarshal(body, &document); err != nil {
			k.t.Error(err)
			return
		}
		document["rev"] = document["rev"].(float64) + 1
		written, _ := json.Marshal(document)
		k.stored = string(written)
		reply(w, 200, k.stored)
	})
	return k
}

// lastWritten returns the document of the last write.
func (k *houseFixture) lastWritten() (document object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := json.Unmarshal([]byte(k.sent), &document); err != nil {
		k.t.Error(err)
	}
	return document
}

const (
	brand       = `document.querySelector(".host-banner .host-brand").innerText.trim()`
	accentShown = `document.documentElement.dataset.accent`
)

// TestHouseChanged changes the name, colour and email language of the house. The page shows them at once.
func TestHouseChanged(t *testing.T) {
	t.Parallel()
	k := newHouseFixture(t, newFixture(t))
	p := openPage(t, k.URL+"/#/admin/house", desktop)
	p.waitForHeading("House")
	p.find("radiogroup", "Colour")
	p.waitFor(accentShown + ` === "copper"`)
	p.waitForText("Last verified Nov 15, 2026")
	p.waitForText("narthex mail:test -- --email ADDRESS")
	p.find("button", "Copy the command")
	p.fill("Name of the house optional", "  Harbour Church ")
	p.click("radio", "Teal")
	p.waitFor(`document.querySelector(".host-house-preview [data-theme=dark][data-accent=teal]").innerText` +
		`.includes("Harbour Church")`)
	const colours = `[".host-swatches", ".host-house-preview [data-theme=light]"].map((place) =>
		new Set([...document.querySelectorAll(place + " .d-mark")].map((mark) => getComputedStyle(mark).color)))`
	if drawn := eval[int](p, colours+`[0].size`); drawn != 8 {
		t.Errorf("the eight colours are drawn in %d", drawn)
	}
	if light := eval[string](p, `[...`+colours+`[1]].join()`); light != "rgb(2, 107, 117)" {
		t.Errorf("the light preview of teal is %s", light)
	}
	if shown := eval[string](p, accentShown); shown != "copper" {
		t.Errorf("the page is %s before anything was saved, want copper", shown)
	}
	p.runScript(`const select = document.querySelector("main select"); select.value = "de";` +
		`select.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.waitFor(brand + ` === "Harbour Church" && ` + accentShown + ` === "teal"`)
	sent := k.lastWritten()
	if sent["name"] != "Harbour Church" || sent["accent"] != "teal" || sent["language"] != "de" {
		t.Errorf("sent %v", sent)
	}
	p.fill("Name of the house optional", " ")
	p.click("button", "Save")
	p.waitFor(brand + ` === "Dashboard"`)
	if name, found := k.lastWritten()["name"]; name != nil || !found {
		t.Errorf("an empty name is sent as %v, want null", name)
	}
}

// TestHouseOfOthers: a change by another administrator appears, and is not overwritten when somebody changes
// another field.
func TestHouseOfOthers(t *testing.T) {
	t.Parallel()
	k := newHouseFixture(t, newFixture(t))
	p := openPage(t, k.URL+"/#/admin/house", desktop)
	p.click("radio", "Plum")
	k.mu.Lock()
	k.stored = `{"name":"Theirs","accent":"olive","language":"de","rev":2}`
	k.mu.Unlock()
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(`document.querySelector(".host-house-form input").value === "Theirs"`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved, together with what somebody else has changed meanwhile: " +
		"Name of the house, Language of mails")
	if sent := k.lastWritten(); sent["name"] != "Theirs" || sent["accent"] != "plum" ||
		sent["language"] != "de" {
		t.Errorf("sent %v", sent)
	}
}

// TestHouseBackup: the state of the backups is described in words.
func TestHouseBackup(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, words string }{
		"never": {`{"lastVerifiedAt":null,"verdict":null}`, "No backup has been verified yet."},
		"bad": {`{"lastVerifiedAt":"2026-11-09T03:04:05.000Z","verdict":"BACKUP_INCOMPLETE"}`,
			"BACKUP_INCOMPLETE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newHouseFixture(t, newFixture(t))
			k.backup = row.body
			openPage(t, k.URL+"/#/admin/house", phone).waitForText(row.words)
		})
	}
}

// TestHouseFails: reading the house is retried after a failure, and the rest of the screen works without the
// state of the backups.
func TestHouseFails(t *testing.T) {
	t.Parallel()
	k := newHouseFixture(t, newFixture(t))
	k.respond("GET /api/v1/house/backup", 503, `{"code":"STORE_UNAVAILABLE"}`)
	k.respond("GET /api/v1/house", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := openPage(t, k.URL+"/#/admin/house", desktop)
	p.waitForText("STORE_UNAVAILABLE")
	k.respond("GET /api/v1/house", 200, k.stored)
	p.retry()
	p.find("radiogroup", "Colour")
	p.waitForText("That did not work just now.")
	p.find("button", "Copy the command")
}

// TestHouseRefused: every refusal is reported, and the typed values stay. Leaving the screen asks first.
func TestHouseRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"name":      {400, "INVALID_REQUEST", "The server does not take this name."},
		"forbidden": {403, "PERMISSION_DENIED", "You no longer have access (core.house.manage)."},
		"conflict":  {409, "CONFLICT", "Somebody else has changed this meanwhile."},
		"too often": {429, "TOO_MANY_REQUESTS", "You can try again in 10 s."},
		"failed":    {503, "STORE_UNAVAILABLE", "That did not work just now."},
		"offline":   {0, "", "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newHouseFixture(t, newFixture(t))
			k.status, k.code = row.status, row.code
			p := openPage(t, k.URL+"/#/admin/house", desktop)
			p.fill("Name of the house optional", "Harbour Church")
			p.click("radio", "Teal")
			p.offline(row.status == 0)
			p.click("button", "Save")
			p.waitForVisibleText(row.words)
			p.offline(false)
			p.waitFor(`document.querySelector(".host-house-form input").value === "Harbour Church" && ` +
				`document.querySelector("[value=teal]").checked`)
			p.waitFor(brand + ` === "Hill Street Church"`)
			p.click("link", "Modules")
			p.find("dialog", "Leave without saving?")
			p.click("button", "Stay")
			p.click("button", "Cancel")
			p.click("link", "Modules")
			p.waitForHeading("Modules")
		})
	}
}

// TestHouseName: a name has at most 80 characters, counted as people see them, and a longer one is not sent.
func TestHouseName(t *testing.T) {
	t.Parallel()
	k := newHouseFixture(t, newFixture(t))
	p := openPage(t, k.URL+"/#/admin/house", desktop)
	p.fill("Name of the house optional", strings.Repeat("𝄞", 81))
	p.click("button", "Save")
	p.waitForVisibleText("At most 80 characters.")
	if n := k.countWrites(); n != 0 {
		t.Errorf("a name of 81 characters made %d writes, want none", n)
	}
	p.waitFor(`document.activeElement.getAttribute("aria-invalid") === "true"`)
	p.fill("Name of the house optional", strings.Repeat("𝄞", 80))
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	if name := k.lastWritten()["name"]; name != strings.Repeat("𝄞", 80) {
		t.Errorf("sent %v, want a name of 80 characters", name)
	}
}

// TestHouseSignedOut: a person whose session has ended signs in again, and returns to the same screen with
// the typed values. A person who had left the screen sees the stored values.
func TestHouseSignedOut(t *testing.T) {
	t.Parallel()
	k := newHouseFixture(t, newFixture(t))
	p := openPage(t, k.URL+"/#/admin/house", desktop)
	p.fill("Name of the house optional", "Harbour Church")
	p.click("radio", "Teal")
	k.mu.Lock()
	k.status, k.code = 401, "UNAUTHENTICATED"
	k.mu.Unlock()
	k.setAnonymous()
	p.click("button", "Save")
	p.waitForHeading("Sign in")
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", "correct horse battery")
	p.click("button", "Sign in")
	p.waitForHeading("House")
	p.waitFor(accentShown + ` === "copper"`)
	p.waitFor(typedHouse)
	p.click("link", "Modules")
	p.click("button", "Leave")
	p.waitForHeading("Modules")
	p.click("link", "House")
	p.waitForHeading("House")
	p.find("radiogroup", "Colour")
	if eval[bool](p, typedHouse) {
		t.Error("what somebody has left without saving is still there")
	}
}

const typedHouse = `document.querySelector(".host-house-form input").value === "Harbour Church" && ` +
	`document.querySelector("[value=teal]").checked`
