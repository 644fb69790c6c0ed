package browsertest

import (
	"encoding/json"
	"net/http"
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
