package browsertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// invite invites an address, and returns a token with which the invitation can be accepted.
func (d *devServer) invite(t *testing.T, session *http.Cookie, email string) (token string) {
	t.Helper()
	d.send(t, session, "POST", "/api/v1/invitations",
		strings.NewReader(jsonOf(t, object{"email": email})))
	token = "the token for " + email
	d.query(t, `
		UPDATE core.invitation SET token_hash = sha256(convert_to($1, 'UTF8')) WHERE email = $2
		RETURNING id::text`, token, email)
	return token
}

// join accepts an invitation.
func (d *devServer) join(t *testing.T, token, name string) {
	t.Helper()
	d.send(t, nil, "POST", "/api/v1/invitations/accept",
		strings.NewReader(jsonOf(t, object{"token": token, "name": name, "password": d.password})))
}

// ageActivity dates all entries so far in one minute at noon of a day.
func (d *devServer) ageActivity(t *testing.T, day string) {
	t.Helper()
	d.exec(t, `
		ALTER TABLE core.activity DISABLE TRIGGER USER;
		UPDATE core.activity SET at = '`+day+` 12:00:00+00' WHERE at > now() - interval '1 hour';
		ALTER TABLE core.activity ENABLE TRIGGER USER`)
}

// enterDay types a day into a date field.
func (p *tab) enterDay(label, day string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("label")].some((one) => one.innerText === %q)`, label))
	p.runScript(fmt.Sprintf(`
		const label = [...document.querySelectorAll("label")].find((one) => one.innerText === %q);
		label.control.value = %q;
		label.control.dispatchEvent(new Event("input", { bubbles: true }))`, label, day))
}

// TestActivityOfOneDay: Activity shows what happened last Tuesday: who was invited, which module and group
// were moved, and what was repeated as one line.
func TestActivityOfOneDay(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	const tuesday = "2026-11-17"
	owner := d.signIn(t, "owner@example.org")
	put := func(path, body string) {
		t.Helper()
		d.send(t, owner, "PUT", "/api/v1/dashboard/navigation/"+path, strings.NewReader(body))
	}
	token := d.invite(t, owner, "bert@example.org")
	put("groups/worship", `{"label":"Worship","order":1}`)
	put("placements/rota", `{"groupId":"worship","order":1}`)
	for n := range 15 {
		put("placements/rota", fmt.Sprintf(`{"groupId":"worship","order":%d}`, n+2))
	}
	d.ageActivity(t, tuesday)
	d.join(t, token, "Bert Keller")
	d.invite(t, owner, "zoe@example.org")

	p := d.openIn(t, chromium, owner, "/#/admin/activity", desktop)
	p.waitForText("invited somebody who has not joined")
	p.screenshot("people-activity")
	p.enterDay("Day", tuesday)
	p.waitFor(`document.querySelectorAll(".host-days h2").length === 1`)
	name := d.query(t, `SELECT name FROM core.person WHERE email = 'owner@example.org'`)
	want := []string{
		name + " moved Rota in the navigation",
		name + " moved Rota into the group Worship in the navigation",
		name + " added the group Worship to the navigation",
		name + " invited Bert Keller",
	}
	got := p.sentences()
	if len(got) > len(want) { // before those is what happened when the house was prepared
		got = got[:len(want)]
	}
	if !slices.Equal(got, want) {
		t.Errorf("on Tuesday there is %q, want %q", got, want)
	}
	p.waitForText("15 times")
	p.screenshot("people-activity-day")
	p.enterDay("Day", "2026-11-18")
	p.waitForText("No change matches.")
	p.click("button", "Show everything")
	p.waitForText("Bert Keller joined")
	p.assertAccessible("Activity with a day")
}
