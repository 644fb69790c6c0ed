package devices_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func renaming(id, label string) request {
	return request{method: "PUT", path: managed + "/" + id, body: `{"label":"` + label + `"}`}
}

func revoking(id string) request {
	return request{method: "POST", path: managed + "/" + id + "/revoke", noContentType: true}
}

func TestList(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.displays.set()
	if got := h.assertSend(
		t, request{method: "GET", path: managed}, 200, "",
	).Body.String(); got != `{"devices":[],"displays":[]}` {
		t.Errorf("GET %s without devices: %s, want two empty lists", managed, got)
	}
	h.displays.set(board, stage)
	first, _ := h.pair(t, "stage")
	second := h.approve(t, h.ask(t, "announcements"))
	third, _ := h.pair(t, "stage")
	h.Exec(
		t,
		"UPDATE core.device SET created_at = (SELECT max(created_at) FROM core.device) WHERE id <> $1",
		first.ID,
	)
	all := h.list(t)
	latest := []string{second.ID, third.ID}
	slices.Sort(latest)
	ids := make([]string, 0, 3)
	for _, d := range all.Devices {
		ids = append(ids, d.ID)
	}
	if !slices.Equal(ids, append(latest, first.ID)) {
		t.Errorf("order of the devices %v, want %v", ids, append(latest, first.ID))
	}
	if len(all.Displays) != 2 || len(all.Displays[0]) != 3 || all.Displays[0]["moduleId"] != "announcements" ||
		all.Displays[0]["name"] != "Announcements" || all.Displays[0]["path"] != "/display/announcements" ||
		all.Displays[1]["moduleId"] != "stage" {
		t.Errorf("displays %v, want announcements and stage with id, name and path", all.Displays)
	}

	// Devices stay when the person who approved them is deleted.
	h.Exec(t, "DELETE FROM core.person")
	if all := h.list(t).Devices; len(all) != 3 || all[0].CreatedBy != nil {
		t.Errorf("devices %+v, want 3 and no name of the deleted person", all)
	}
}

// Revoked devices, and those that were not claimed in time, are not counted.
func TestPairedScreens(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.displays.set(board, stage)
	h.pair(t, "stage")
	h.pair(t, "stage")
	removed, _ := h.pair(t, "announcements")
	h.assertSend(t, revoking(removed.ID), 200, "")
	late := h.approve(t, h.ask(t, "announcements"))
	h.approve(t, h.ask(t, "announcements"))
	h.Exec(t, "UPDATE core.device SET claimable_until = now() WHERE id = $1", late.ID)
	counts, err := h.service.PairedScreens(t.Context(), []string{"announcements", "stage", "other"})
	if want := map[string]int{"announcements": 1, "stage": 2}; err != nil || !maps.Equal(counts, want) {
		t.Errorf("paired screens: %v (%v), want %v", counts, err, want)
	}
	if counts, err := h.service.PairedScreens(t.Context(), []string{"stage"}); err != nil || len(counts) != 1 {
		t.Errorf("paired screens of stage: %v (%v), want those of stage alone", counts, err)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	h := setup(t)
	device, credential := h.pair(t, "stage")
	renamed := decode[deviceBody](
		t,
		h.assertSend(t, renaming(device.ID, ` Foyer, \"left\" <\u00fc> `), 200, ""),
	)
	if renamed.Label != ` Foyer, "left" <ü> ` || *renamed.CreatedBy != *device.CreatedBy {
		t.Errorf("renamed device %+v, want the new label and the same creator", renamed)
	}
	renamed.Label, renamed.CreatedBy = device.Label, device.CreatedBy
	if renamed != device {
		t.Errorf("renamed %+v, want %+v", renamed, device)
	}
	h.assertSend(t, renaming(device.ID, strings.Repeat("ü", 80)), 200, "")
	h.assertDevice(t, credential, device.ID)
}

// A revoked device stays listed with the time of its first revocation, and is not resolved any more.
func TestRevoke(t *testing.T) {
	t.Parallel()
	h := setup(t)
	device, credential := h.pair(t, "stage")
	other, otherCredential := h.pair(t, "stage")
	h.assertDevice(t, credential, device.ID)
	revoked := decode[deviceBody](t, h.assertSend(t, revoking(device.ID), 200, ""))
	if revoked.ID != device.ID || revoked.RevokedAt == nil || !timeForm.MatchString(*revoked.RevokedAt) {
		t.Errorf("revoked device %+v, want %s with the time of its revocation", revoked, device.ID)
	}
	h.assertDevice(t, credential, "")
	h.assertDevice(t, otherCredential, other.ID)
	if held, err := h.service.Permissions(t.Context(), device.ID); len(held) != 0 || err != nil {
		t.Errorf("permissions of the revoked device %v, want none; error %v", held, err)
	}
	h.ageRows(t, "1 hour")
	since := h.text(t, "SELECT revoked_at::text FROM core.device WHERE id = $1", device.ID)
	h.assertSend(t, revoking(device.ID), 200, "")
	if again := h.text(t, "SELECT revoked_at::text FROM core.device WHERE id = $1", device.ID); again != since {
		t.Errorf("revoked again: the time is %s, want %s as before", again, since)
	}
	h.assertSend(t, renaming(device.ID, "Old one"), 200, "")
	h.assertRows(t, 2, 2, 2)

	// Pairing again makes another device.
	second, fresh := h.pair(t, "stage")
	if second.ID == device.ID {
		t.Error("the old identity came back")
	}
	h.assertDevice(t, fresh, second.ID)
	h.assertDevice(t, credential, "")
}

// A device that is revoked before its screen has claimed it can never be claimed.
func TestRevokedBeforeTheClaim(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	device := h.approve(t, s)
	h.assertSend(t, revoking(device.ID), 200, "")
	h.assertState(t, s, "rejected")
	h.assertSend(t, s.collect(), 409, "PAIRING_NOT_APPROVED")
	h.assertSend(t, approving(s.code), 409, "PAIRING_ALREADY_DECIDED")
	h.ageRows(t, "1 hour")
	h.assertSend(t, s.collect(), 404, "PAIRING_NOT_FOUND")
	if all := h.list(t).Devices; len(all) != 1 || all[0].RevokedAt == nil {
		t.Errorf("devices %+v, want the one revoked", all)
	}
}

// A device does not depend on the session or password of a person.
func TestDevicesOutliveSessionsAndPasswords(t *testing.T) {
	t.Parallel()
	h := setup(t)
	device, credential := h.pair(t, "stage")
	h.Exec(
		t,
		"INSERT INTO core.session (token_hash, person_id, persistent, expires_at) VALUES ('\\x00', $1, true, "+
			"now())",
		h.admin,
	)
	h.Exec(t, "DELETE FROM core.session")
	h.Exec(t, "UPDATE core.person SET password_hash = 'another'")
	h.assertDevice(t, credential, device.ID)
}
