package main

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestFeed: programs that read news get what is on the board now, also words that XML does not take as they
// are. A notice stays the same one when it is edited, and is newer then.
func TestFeed(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office, member := m.Person(manageSlides), m.Person()
	read := func() (feed atomFeed) {
		t.Helper()
		got := member.Do("GET", "/notices.atom", nil)
		if err := xml.Unmarshal([]byte(got.Body), &feed); err != nil || got.Status != 200 ||
			got.Header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
			t.Fatalf("GET /notices.atom: %s, error %v, want a feed", got, err)
		}
		return feed
	}
	empty := read()
	if !strings.HasPrefix(empty.ID, "urn:uuid:") || empty.Title == "" || empty.Author == "" ||
		empty.Updated != "1970-01-01T00:00:00Z" || len(empty.Entries) != 0 {
		t.Errorf("without notices the feed is %+v", empty)
	}
	write := func(body string) (s slide) {
		t.Helper()
		got := office.Do("POST", "/slides", body)
		if got.Status != 201 {
			t.Fatal(got)
		}
		got.JSON(&s)
		return s
	}
	tea := write(`{"title":"Tea & <b>cake</b>","enabled":true,
		"body":"At <3> ]]>\nBring a cup.\n\n\nAll & sundry"}`)
	write(`{"title":"A draft","body":""}`)
	write(`{"title":"Over","body":"","enabled":true,"endsAt":"2020-01-01T00:00:00.000Z"}`)
	write(`{"title":"Later","body":"","enabled":true,"startsAt":"2033-01-01T00:00:00.000Z"}`)
	write(`{"title":"Of a contribution","body":"","enabled":true,"kind":"countdown.slide"}`)
	feed := read()
	if len(feed.Entries) != 1 || feed.ID != empty.ID || feed.Updated != feed.Entries[0].Updated ||
		feed.Entries[0].ID != "urn:uuid:"+tea.ID || feed.Entries[0].Title != "Tea & <b>cake</b>" ||
		feed.Entries[0].Content != (atomHTML{"html",
			"<p>At &lt;3&gt; ]]&gt;<br>Bring a cup.</p><p>All &amp; sundry</p>"}) {
		t.Errorf("the feed is %+v, want the one notice that is on the board", feed)
	}
	if _, err := a.store.db.Exec(t.Context(), `
		UPDATE slides SET created_at = created_at - interval '1 day', changed_at = changed_at - interval '1 day'`,
	); err != nil {
		t.Fatal(err)
	}
	before := read().Entries[0]
	if got := office.Do("PUT", "/slides/"+tea.ID, `{"title":"Tea","enabled":true,"rev":1}`); got.Status != 200 {
		t.Fatal(got)
	}
	if now := read().Entries[0]; now.ID != before.ID || now.Published != before.Published ||
		now.Updated <= before.Updated || now.Title != "Tea" {
		t.Errorf("after an edit the notice is %+v, before %+v", now, before)
	}
	request := member.Request("GET", "/notices.atom", nil)
	request.Header.Set("If-None-Match", member.Do("GET", "/notices.atom", nil).Header.Get("Etag"))
	if got := member.Send(request); got.Status != 304 {
		t.Errorf("a known feed: status %d, want 304", got.Status)
	}
	if got := m.Visitor().Do("GET", "/notices.atom", nil).Status; got != 401 {
		t.Errorf("a visitor: status %d, want 401", got)
	}
}
