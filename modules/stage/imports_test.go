package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

func (p planner) imports() []sdk.PastImport {
	p.t.Helper()
	var all struct{ Imports []sdk.PastImport }
	p.Do("GET", "/imports", nil).JSON(&all)
	return all.Imports
}

func (p planner) undo(id string) string {
	p.t.Helper()
	var done sdk.Undone
	got := p.Do("DELETE", "/imports/"+id, nil)
	if got.Status != 200 {
		p.t.Fatalf("DELETE /imports/%s: %s, want 200", id, got)
	}
	got.JSON(&done)
	return fmt.Sprint(done)
}

// plansRev is the rev that readers of plans are told of.
func (p planner) plansRev() string {
	p.t.Helper()
	return p.m.Person().Subscribe(plansChannel).Body
}

// TestUndoOfSongs: an undo removes the songs of an import, except those that somebody has changed or planned
// since. The file can be imported again, and a second import of it leaves nothing to undo.
func TestUndoOfSongs(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	own := p.song("Own", "words")
	const file = `{"songs":[{"title":"Own","sections":[{"label":"Verse 1","text":"words"}]},
		{"title":"Left","sections":[{"label":"","text":"a"}]},
		{"title":"Edited","sections":[{"label":"","text":"b"}]},
		{"title":"Planned","sections":[{"label":"","text":"c"}]}]}`
	p.Do("POST", "/songs/import?preview=1", file)
	if past := p.imports(); len(past) != 0 {
		t.Errorf("a preview can be undone: %+v", past)
	}
	p.Do("POST", "/songs/import", file)
	rev := p.plansRev()
	p.Do("POST", "/songs/import", file)
	if now := p.plansRev(); now != rev {
		t.Errorf("plans were at %s before the second import, and are at %s; want no change", rev, now)
	}
	past := p.imports()
	if len(past) != 1 || past[0].Counts["songs"] != 3 {
		t.Fatalf("imports %+v, want one of 3 songs", past)
	}
	ids := map[string]string{}
	var listed struct{ Songs []struct{ ID, Title string } }
	p.Do("GET", "/songs", nil).JSON(&listed)
	for _, one := range listed.Songs {
		ids[one.Title] = one.ID
	}
	p.Do("PUT", "/songs/"+ids["Edited"],
		`{"title":"Edited by Ada","sections":[{"label":"","text":"b"}],"rev":1}`)
	sunday := p.service("Sunday", time.Now())
	p.item(sunday.ID, `{"kind":"song","songId":"`+ids["Planned"]+`","seconds":60}`)
	if got := p.undo(past[0].ID); got != "{1 0 2 [Edited by Ada Planned]}" {
		t.Errorf("undone: %s, want one removed, and two named that stay", got)
	}
	if got := p.Do("DELETE", "/imports/"+past[0].ID, nil); got.Status != 404 ||
		!strings.Contains(got.Body, "IMPORT_NOT_FOUND") {
		t.Errorf("the undo again: %s, want 404", got)
	}
	if got := p.Do("GET", "/songs/"+own.ID, nil); got.Status != 200 {
		t.Errorf("the own song: %s, want it to stay", got)
	}
	if got := p.Do("POST", "/songs/import", file); !strings.Contains(got.Body, `"new":2,"changed":0,"same":2`) {
		t.Errorf("the file again: %s, want two new songs", got)
	}
}

// TestUndoOfAnArchive: songs and services that the import has changed are as before, new services are
// cancelled, so that other modules hear of it, and what somebody has changed since stays.
func TestUndoOfAnArchive(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	song, other := p.song("Song", "words"), p.song("Other", "words")
	first, second := p.service("First", time.Now()), p.service("Second", time.Now().AddDate(0, 0, 1))
	p.item(first.ID, `{"kind":"song","songId":"`+song.ID+`","seconds":60}`)
	p.item(first.ID, `{"kind":"song","songId":"`+other.ID+`","seconds":60}`)
	before := p.Do("GET", "/export", nil).Body
	const made = "11111111-1111-4111-8111-111111111111"
	file := fmt.Sprintf(`{"songs":[{"id":%q,"title":"Song of the file","credit":"","sections":[
			{"label":"","text":"x"}]}],
		"services":[{"id":%q,"title":"First of the file","startsAt":"2030-01-06T10:00:00.000Z","items":[]},
			{"id":%q,"title":"Second of the file","startsAt":"2030-01-06T10:00:00.000Z","items":[]},
			{"id":%q,"title":"Third","startsAt":"2030-01-06T10:00:00.000Z","items":[]}]}`,
		song.ID, first.ID, second.ID, made)
	if got := p.Do("POST", "/import", file); got.Status != 200 {
		t.Fatal(got)
	}
	if got := p.undo(p.imports()[0].ID); got != "{1 3 0 []}" {
		t.Errorf("undone: %s, want one service removed, three rows restored", got)
	}
	if got := p.Do("GET", "/export", nil).Body; got != before {
		t.Errorf("after the undo: %s, want %s", got, before)
	}
	var told changesResponse
	err := p.m.Ask("calendar", "stage.services", "changed", changesRequest{}, &told)
	cancelled := 0
	for _, one := range told.Services {
		if one.ID == made && one.Cancelled {
			cancelled++
		}
	}
	if err != nil || cancelled != 1 {
		t.Errorf("other modules are told %+v, %v; want the third service as cancelled", told, err)
	}

	// Once more, and somebody goes on with what came.
	p.Do("POST", "/import", file)
	id := p.imports()[0].ID
	p.Do("PUT", "/services/"+second.ID, map[string]any{"title": "Second by Ada",
		"startsAt": stamp(time.Now()), "rev": p.read(second.ID).Rev})
	p.Do("DELETE", "/songs/"+other.ID, nil) // the first service has lost it
	d := driver{p.m.Person(controlLive), p, made}
	d.take()
	if got := p.undo(id); got != "{0 2 2 [Second by Ada Third]}" {
		t.Errorf("undone: %s, want the edited and the driven service to stay", got)
	}
	if items := p.read(first.ID).Items; len(items) != 1 || *items[0].SongID != song.ID {
		t.Errorf("the first service has %+v, want the song that there still is", items)
	}
}
