package browsertest

import "testing"

// TestOwnSessions: a person sees where they are signed in, and ends one of the sessions. The others go on.
func TestOwnSessions(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "ada@example.org", "Ada")
	p := d.openAs(t, "ada@example.org", "/#/account", desktop)
	d.signIn(t, "ada@example.org")
	d.exec(t, `UPDATE core.session SET description = 'Safari, iPhone',
			last_seen_at = now() - interval '3 days 1 hour'
		WHERE token_hash = (SELECT token_hash FROM core.session ORDER BY created_at DESC LIMIT 1)`)
	p.reload()
	p.find("heading", "Where you are signed in")
	p.waitForText("This browser")
	p.waitForText("last seen 3 days ago")
	p.assertFits()
	p.screenshot("own-sessions")
	p.click("button", "End the session: Safari, iPhone")
	p.click("button", "Keep it")
	p.click("button", "End the session: Safari, iPhone")
	p.waitForText("Safari, iPhone asks for the password again.")
	p.click("button", "End")
	p.waitForNone("button", "End the session: Safari, iPhone")
	const left = `SELECT count(*)::text FROM core.session s JOIN core.person p ON p.id = s.person_id
		WHERE p.email = 'ada@example.org'`
	if n := d.query(t, left); n != "1" {
		t.Errorf("%s sessions are left, want the one of this browser", n)
	}
	p.find("button", "Save name")
	p.setView(phone)
	p.assertFits()
	p.screenshot("own-sessions-phone")
}
