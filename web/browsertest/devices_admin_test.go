package browsertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// screensFixture replaces the platform's routes for devices.
type screensFixture struct {
	*modulesFixture
	devices []object
}

func newScreensFixture(t *testing.T, h *fixture) *screensFixture {
	t.Helper()
	wl := &screensFixture{modulesFixture: setModulesFixture(t, h)}
	now := time.Now().UTC()
	wl.devices = []object{
		paired("d1", "Foyer", "announcements", now.Add(-time.Minute)),
		paired("d2", "Hall left", "announcements", now.Add(-72*time.Hour)),
		paired("d3", "Choir", "stage", now.Add(-time.Minute)),
	}
	wl.handle("GET /api/v1/devices", func(w http.ResponseWriter, _ *http.Request) {
		wl.mu.Lock()
		defer wl.mu.Unlock()
		body, _ := json.Marshal(object{"devices": wl.devices, "displays": []object{
			{"moduleId": "stage", "name": "Stage", "path": "/display/stage"},
			{"moduleId": "announcements", "name": "Announcements", "path": "/display/announcements"},
		}})
		reply(w, 200, string(body))
	})
	wl.respondJSON("GET /api/v1/device-pairing/requests/482913", 200, object{
		"pairingCode": "482913", "moduleId": "stage", "moduleName": "Stage", "permissionId": "stage.display.view",
		"description": "Chromium on Linux", "createdAt": stamp(now.Add(-40 * time.Second)),
		"expiresAt": stamp(now.Add(9 * time.Minute)),
	})
	wl.respond("GET /api/v1/device-pairing/requests/*", 404, `{"code":"PAIRING_NOT_FOUND"}`)
	wl.handle("POST /api/v1/device-pairing/482913/approve", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, wl.write(r, func(label string) object {
			added := paired("d4", label, "stage", now)
			added["lastSeenAt"] = nil
			wl.devices = append(wl.devices, added)
			return added
		}))
	})
	wl.handle("PUT /api/v1/devices/d2", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, wl.write(r, func(label string) object {
			wl.devices[1]["label"] = label
			return wl.devices[1]
		}))
	})
	wl.handle("POST /api/v1/devices/d2/revoke", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, wl.write(r, func(string) object {
			wl.devices[1]["revokedAt"] = stamp(now)
			return wl.devices[1]
		}))
	})
	return wl
}

func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z") }

func paired(id, label, moduleID string, seen time.Time) object {
	return object{"id": id, "label": label, "moduleId": moduleID, "permissionId": moduleID + ".display.view",
		"createdAt": "2026-11-01T09:00:00.000Z", "createdBy": person, "lastSeenAt": stamp(seen), "revokedAt": nil}
}

// write changes the stored device by the label that was sent.
func (wl *screensFixture) write(r *http.Request, change func(label string) object) string {
	wl.mu.Lock()
	defer wl.mu.Unlock()
	var sent struct{ Label string }
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		wl.t.Error(err)
	}
	body, _ := json.Marshal(change(sent.Label))
	return string(body)
}

// TestPairing pairs a screen by its code, which may be typed with spaces or hyphens.
func TestPairing(t *testing.T) {
	t.Parallel()
	wl := newScreensFixture(t, newFixture(t))
	p := openPage(t, wl.URL+"/#/admin/screens", phone)
	p.waitForHeading("Screens")
	p.waitForText("3 screens, 1 silent")
	p.waitForText("not seen for 3 days")
	p.waitForText(wl.URL + "/display/stage")
	p.fill("Code on the screen", "482-9 13")
	p.key("\r")
	p.waitForText("Code 482 913 asks to show: Stage")
	p.waitForText("Chromium on Linux")
	p.waitFor(`document.activeElement.labels[0].textContent === "Name this screen"`)
	p.click("button", "Pair this screen")
	p.waitForText("Give it a name, so that people know which one it is.")
	p.waitForText("Look at the screen first.")
	if n := wl.countWrites(); n != 0 {
		t.Errorf("%d writes before anybody said that they see the code, want none", n)
	}
	p.fill("Name this screen", "Back wall")
	p.click("checkbox", "I can see this code on the screen right now")
	p.click("button", "Pair this screen")
	p.waitForAnnouncement("Paired as “Back wall”")
	p.waitForText("4 screens, 1 silent")
	p.waitForText("Not seen yet")
}

// TestPairingByLink opens the address in the screen's QR code, which contains the pairing code.
func TestPairingByLink(t *testing.T) {
	t.Parallel()
	wl := newScreensFixture(t, newFixture(t))
	openPage(t, wl.URL+"/#/admin/screens/482913", phone).waitForText("Code 482 913 asks to show: Stage")
}

// TestPairingRefused: the reason why a code is refused appears beside the field.
func TestPairingRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"expired":   {404, "PAIRING_NOT_FOUND", "That code has expired. Use the one on the screen now."},
		"decided":   {409, "PAIRING_ALREADY_DECIDED", "Already paired."},
		"forbidden": {403, "PERMISSION_DENIED", "You no longer have access (core.devices.manage)."},
		"too often": {429, "TOO_MANY_REQUESTS", "You can try again in 10 s."},
		"offline":   {0, "", "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wl := newScreensFixture(t, newFixture(t))
			p := openPage(t, wl.URL+"/#/admin/screens/482913", desktop)
			p.fill("Name this screen", "Back wall")
			p.click("checkbox", "I can see this code on the screen right now")
			if row.status > 0 {
				wl.respond("POST /api/v1/device-pairing/482913/approve", row.status, `{"code":"`+row.code+`"}`)
			}
			p.offline(row.status == 0)
			p.click("button", "Pair this screen")
			p.waitForVisibleText(row.words)
			p.offline(false)
		})
	}
}

// TestWrongCodes: after five wrong codes the form pauses.
func TestWrongCodes(t *testing.T) {
	t.Parallel()
	wl := newScreensFixture(t, newFixture(t))
	p := openPage(t, wl.URL+"/#/admin/screens", desktop)
	for _, code := range []string{"000001", "000002", "000003", "000004", "000005"} {
		p.fill("Code on the screen", code)
		p.key("\r")
		p.waitUntil("a request for "+code, func() bool {
			return wl.countRequests("GET /api/v1/device-pairing/requests/"+code) == 1
		})
		p.waitFor(`document.querySelector(".host-find-code .d-wrong")`)
	}
	p.waitForText("Look at the code again. Next try in ")
	p.waitFor(`document.querySelector(".host-find-code button").disabled`)
	p.fill("Code on the screen", "482913")
	p.key("\r")
	p.assertNoText("asks to show")
}

// TestScreensAreKept renames and removes screens, and shows changes of another administrator.
func TestScreensAreKept(t *testing.T) {
	t.Parallel()
	wl := newScreensFixture(t, newFixture(t))
	p := openPage(t, wl.URL+"/#/admin/screens", desktop)
	p.chooseMenuItem("More for Hall left", "Rename")
	p.fill("Name", "Hall right")
	p.click("button", "Save")
	p.waitForAnnouncement("Renamed.")
	p.chooseMenuItem("More for Hall right", "Remove …")
	p.waitForText("The screen shows nothing more after five minutes at most.")
	p.click("button", "Remove")
	p.waitForAnnouncement("Hall right is removed. The screen shows nothing more after five minutes at most.")
	p.waitForNone("button", "More for Hall right")
	wl.mu.Lock()
	wl.devices[0]["label"] = "Entrance"
	wl.mu.Unlock()
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.find("button", "More for Entrance")
	if !strings.Contains(eval[string](p, "document.body.innerText"), "2 screens, 0 silent") {
		t.Error("the removed screen is counted")
	}
}
