package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
)

// TestFeeds: a phone fetches the house's calendar without signing in, gets exactly the changes, and nothing
// once the person is deactivated or erased.
func TestFeeds(t *testing.T) {
	t.Parallel()
	i := install(t, "calendar")
	i.db.Exec(t, `UPDATE core.house SET name = 'St. Mary', time_zone = 'Europe/Berlin', rev = rev + 1`)
	i.db.Exec(t, requireActivity)
	i.start(t)
	owner := i.visitor(t).signInAs(t, ownerAddress)
	i.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'anna@example.org', 'Anna', true, password_hash FROM core.person`)
	anna := i.visitor(t).signInAs(t, "anna@example.org")
	annaID := anna.userID(t)
	make := func(title, start string) {
		t.Helper()
		owner.create(t, 201, "/api/v1/modules/calendar/events", map[string]any{"title": title, "text": "",
			"start": start, "end": strings.Replace(start, "T10", "T11", 1), "rule": "", "rooms": []int{}})
	}
	make("Market", "2030-05-01T10:00")
	feed := anna.create(t, 201, "/api/v1/feeds",
		map[string]string{"moduleId": "calendar", "path": "/calendar.ics", "label": "Phone"})
	_, local, _ := strings.Cut(feed["url"].(string), "/api/")
	local = "/api/" + local
	phone := i.visitor(t)
	first := phone.do("GET", local, nil)
	if first.status != 200 || first.header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Fatalf("GET the feed: status %d, headers %v; body %.300s", first.status, first.header, first.body)
	}
	for _, want := range []string{"SUMMARY:Market", "NAME:St. Mary", "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
		"DTSTART;TZID=Europe/Berlin:20300501T100000", "BEGIN:VTIMEZONE"} {
		if !strings.Contains(first.body, want+"\r\n") {
			t.Errorf("the feed lacks %s:\n%s", want, first.body)
		}
	}
	icaltest.Check(t, first.body)
	tag := first.header.Get("Etag")
	known := i.visitorWithHeader(t, "If-None-Match", tag)
	if got := known.do("GET", local, nil); tag == "" || got.status != http.StatusNotModified || got.body != "" {
		t.Errorf("the same feed again: status %d, want 304; tag %q", got.status, tag)
	}
	make("Concert", "2030-05-02T10:00")
	changed := known.do("GET", local, nil)
	if changed.status != 200 || changed.header.Get("Etag") == tag {
		t.Errorf("after a change: status %d, tag %q, want 200 and another tag", changed.status,
			changed.header.Get("Etag"))
	}
	for line := range strings.Lines(first.body) {
		if !strings.Contains(changed.body, line) {
			t.Errorf("a change of another event changes the line %q", line)
		}
	}
	icaltest.Check(t, changed.body)
	icaltest.CheckChange(t, first.body, changed.body)
	i.assertHouseFeed(t, owner, anna, first.body)
	owner.create(t, 200, "/api/v1/people/"+annaID+"/deactivate", struct{}{})
	if got := phone.do("GET", local, nil); got.status != 404 || got.body != `{"code":"FEED_NOT_FOUND"}` {
		t.Errorf("of a deactivated person: status %d %s, want 404", got.status, got.body)
	}
	owner.create(t, 200, "/api/v1/people/"+annaID+"/reactivate", struct{}{})
	if got := phone.do("GET", local, nil); got.status != 200 {
		t.Errorf("of one who is back: status %d, want 200", got.status)
	}
	owner.create(t, 200, "/api/v1/people/"+annaID+"/deactivate", struct{}{})
	owner.create(t, 200, "/api/v1/people/"+annaID+"/erase", struct{}{})
	var rows int
	if err := i.db.Pool(t).QueryRow(t.Context(), `
		SELECT count(*) FROM core.feed WHERE person_id IS NOT NULL`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d feeds of an erased person, want none; error %v", rows, err)
	}
}

// assertHouseFeed makes an address for the house's website. It shows the calendar to everybody who has it, to
// a link of one permission: the address of another read, and the routes of links, are not its own.
func (i *installation) assertHouseFeed(t *testing.T, owner, member *person, calendar string) {
	t.Helper()
	wanted := map[string]any{"moduleId": "calendar", "path": "/public.ics", "label": "Website", "house": true}
	if got := member.do("POST", "/api/v1/feeds", wanted); got.status != 403 {
		t.Errorf("a member makes an address of the house: status %d, want 403; body %s", got.status, got.body)
	}
	if got := owner.do("POST", "/api/v1/feeds", map[string]any{"moduleId": "calendar", "path": "/calendar.ics",
		"label": "Website", "house": true}); got.status != 400 {
		t.Errorf("of what everybody may read who signs in: status %d, want 400; body %s", got.status, got.body)
	}
	made := owner.create(t, 201, "/api/v1/feeds", wanted)
	_, local, _ := strings.Cut(made["url"].(string), "/api/")
	website := i.visitor(t)
	got := website.do("GET", "/api/"+local, nil)
	if got.status != 200 || !strings.Contains(got.body, "SUMMARY:Concert") ||
		!strings.HasPrefix(got.body, strings.SplitAfter(calendar, "BEGIN:VEVENT")[0]) {
		t.Errorf("GET the address of the house: status %d, want the calendar; body %.300s", got.status, got.body)
	}
	icaltest.Check(t, got.body)
	secret := strings.Split(local, "/")[2]
	for _, other := range []string{"/calendar.ics", "/occurrences"} {
		if got := website.do("GET", "/api/v1/feeds/"+secret+other, nil); got.status != 404 {
			t.Errorf("GET %s with the secret: status %d, want 404", other, got.status)
		}
	}
	if got := website.do("POST", "/api/v1/links/open", map[string]string{"moduleId": "calendar",
		"secret": secret}); got.status != 404 {
		t.Errorf("the secret opens a link: status %d, want 404", got.status)
	}
	owner.create(t, 200, "/api/v1/feeds/"+made["id"].(string)+"/revoke", struct{}{})
	if got := website.do("GET", "/api/"+local, nil); got.status != 404 {
		t.Errorf("GET the address after its end: status %d, want 404", got.status)
	}
}
