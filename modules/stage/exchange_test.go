package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

const hymns = `Holy, Holy, Holy
(Reginald Heber, 1826)

Holy, holy, holy! Lord God Almighty!
Early in the morning our song shall rise to Thee

[Verse 2]
Holy, holy, holy! all the saints adore Thee
---
Amazing Grace

Chorus:
Amazing grace! how sweet the sound
`

// TestExportAndImport: importing an export into an empty installation creates the same data. Importing it
// where it was exported changes nothing.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	hymn := p.song("Holy", "one\ntwo", "three")
	for n := range 3 {
		made := p.service(fmt.Sprint("Sunday ", n), time.Now().AddDate(0, 0, 7*n))
		p.item(made.ID, `{"kind":"song","songId":"`+hymn.ID+`","seconds":240}`)
		p.item(made.ID, `{"kind":"reading","title":"Psalm 23","text":"The LORD is my shepherd\n\nI shall not"}`)
	}
	file := p.Do("GET", "/export", nil).Body
	importing := func(p planner, query, want string) {
		t.Helper()
		got := p.Do("POST", "/import"+query, file)
		if got.Status != 200 || got.Body != want {
			t.Errorf("POST /import%s: %s, want %s", query, got, want)
		}
	}
	const fresh = `{"songs":{"new":1,"changed":0,"same":0},` +
		`"services":{"new":3,"changed":0,"same":0},"problems":[],"problemCount":0}`
	const known = `{"songs":{"new":0,"changed":0,"same":1},` +
		`"services":{"new":0,"changed":0,"same":3},"problems":[],"problemCount":0}`
	rev := p.plansRev()
	importing(p, "", known)
	if now := p.plansRev(); now != rev {
		t.Errorf("plans were at %s before the import of what is here, and are at %s; want no change", rev, now)
	}
	empty := startPlanner(t)
	importing(empty, "?preview=1", fresh)
	if got := empty.Do("GET", "/export", nil).Body; got != `{"songs":[],"services":[]}` {
		t.Errorf("after a preview: %s, want nothing", got)
	}
	importing(empty, "", fresh)
	if got := empty.Do("GET", "/export", nil).Body; got != file {
		t.Errorf("export of the import: %s, want %s", got, file)
	}
	// Another file replaces what it contains. Items of a service that it does not contain are deleted.
	sunday := p.read(strings.Split(strings.Split(file, `"services":[{"id":"`)[1], `"`)[0])
	d := driver{p.m.Person(controlLive), p, sunday.ID}
	d.take()
	file = fmt.Sprintf(`{"songs":[{"id":%q,"title":"New","credit":"","sections":[{"label":"","text":"x"}]}],
		"services":[{"id":%q,"title":"Other","startsAt":"2030-01-06T10:00:00.000Z","items":[
			{"id":%q,"kind":"talk","title":"Sermon","text":"","songId":null,"seconds":60}]}]}`,
		hymn.ID, sunday.ID, sunday.Items[1].ID)
	wall := p.m.Device(viewDisplay).Subscribe(screenChannel)
	importing(p, "",
		`{"songs":{"new":0,"changed":1,"same":0},"services":{"new":0,"changed":1,"same":0},`+
			`"problems":[],"problemCount":0}`)
	after := p.read(sunday.ID)
	if len(after.Items) != 1 || after.Items[0].Title != "Sermon" || after.Rev <= sunday.Rev {
		t.Errorf("after the import: %+v, want the one item and a higher rev", after)
	}
	if got := wall.Update(); !strings.Contains(got, "Sermon") {
		t.Errorf("after the import screens show %s, want that the next is Sermon", got)
	}
}

// TestImportOfADamagedExport: a song and a service that cannot be taken are named with their lines and stop
// nothing else. An item of a song that is nowhere, or that belongs to another service, is left out of its
// service. A second import changes nothing.
func TestImportOfADamagedExport(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	other := p.service("Other", time.Now())
	taken := p.item(other.ID, `{"kind":"talk","title":"x"}`)
	here := p.song("Here", "words")
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	song := func(n int, title string) string {
		return `{"id":"` + id(n) + `","title":"` + title + `","credit":"","sections":[{"label":"","text":"x"}]}`
	}
	service := func(n int, title, items string) string {
		return `{"id":"` + id(n) + `","title":"` + title + `","startsAt":"2030-01-06T10:00:00.000Z","items":[` +
			items + `]}`
	}
	item := func(n int, more string) string { return `{"id":"` + id(n) + `",` + more + `}` }
	songs := []string{song(1, "Good"), song(1, "Twice"), song(2, ""), `{"title":"No id"}`}
	file := `{"songs":[` + strings.Join(songs, ",\n") + `],"services":[` + strings.Join([]string{
		service(11, "Sunday", item(21, `"kind":"song","songId":"`+id(1)+`"`)+","+
			item(22, `"kind":"song","songId":"`+id(2)+`"`)+","+
			item(23, `"kind":"song","songId":"`+here.ID+`"`)+",\n"+
			`{"id":"`+taken.ID+`","kind":"talk","title":"x"}`),
		service(12, "Dance", item(24, `"kind":"dance","title":"x"`)),
		service(13, "Evening", ""),
	}, ",\n") + `]}`
	const found = `,"problems":[],"problemCount":0,"skipped":[` +
		`{"line":2,"code":"SONG_INVALID","detail":"Twice"},` +
		`{"line":3,"code":"SONG_INVALID"},{"line":4,"code":"SONG_INVALID","detail":"No id"},` +
		`{"line":6,"code":"SERVICE_INVALID","detail":"Dance"}],"skippedCount":4,"notes":[` +
		`{"line":4,"code":"SONG_MISSING","detail":"Sunday"},` +
		`{"line":4,"code":"ITEM_ELSEWHERE","detail":"Sunday"}],"noteCount":2}`
	for n, query := range []string{"?preview=1", "", ""} {
		want := `{"songs":{"new":1,"changed":0,"same":0},"services":{"new":2,"changed":0,"same":0}` + found
		if n == 2 {
			want = `{"songs":{"new":0,"changed":0,"same":1},"services":{"new":0,"changed":0,"same":2}` + found
		}
		if got := p.Do("POST", "/import"+query, file); got.Status != 200 || got.Body != want {
			t.Errorf("POST /import%s: %s, want %s", query, got, want)
		}
	}
	if sunday := p.read(id(11)); len(sunday.Items) != 2 {
		t.Errorf("Sunday has the items %+v, want the two of songs that are here", sunday.Items)
	}
	if kept := p.read(other.ID); len(kept.Items) != 1 {
		t.Errorf("the other service has the items %+v, want its own", kept.Items)
	}
}

// TestArchivesOfOlderVersions: an archive from before songs had a copyright and an order, and items a key,
// comes in completely, and a second time changes nothing.
func TestArchivesOfOlderVersions(t *testing.T) {
	t.Parallel()
	const id = "00000000-0000-4000-8000-00000000000"
	const first = `{"songs":[{"id":"` + id + `1","title":"Grace","credit":"John","sections":[{"label":"1",` +
		`"text":"words"}]}],"services":[{"id":"` + id + `2","title":"Sunday","startsAt":"2030-01-06T10:00:00Z",` +
		`"items":[{"id":"` + id + `3","kind":"song","title":"","text":"","songId":"` + id + `1","seconds":240}]}]}`
	for _, file := range []string{
		first,
		strings.Replace(first, `"words"}]}`, `"words"}],"copyright":"© Nobody","ccli":"7","order":["1","1"]}`, 1),
	} {
		p := startPlanner(t)
		for _, want := range []string{`"new":1,"changed":0,"same":0`, `"new":0,"changed":0,"same":1`} {
			got := p.Do("POST", "/import", file)
			if got.Body != `{"songs":{`+want+`},"services":{`+want+`},"problems":[],"problemCount":0}` {
				t.Errorf("%s: %s, want %s", file, got, want)
			}
		}
	}
}

// TestImportsRefused: a file that is no export is refused completely, and the preview names the line.
func TestImportsRefused(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	for _, one := range []struct{ path, body, problems string }{
		{"/import", "{\"songs\":[\n]", `[{"line":2,"code":"NO_JSON"}]`},
		{"/import", `[]`, `[{"line":1,"code":"NO_JSON"}]`},
		{"/import", `{"people":[]}`, `[{"line":1,"code":"UNKNOWN_LIST"}]`},
		{"/songs/import", "", `[{"line":1,"code":"NO_SONGS"}]`},
		{"/songs/import", `{"songs":[`, `[{"line":1,"code":"NO_JSON"}]`},
	} {
		got := p.Do("POST", one.path, one.body)
		if got.Status != 400 {
			t.Errorf("POST %s %s: %s, want 400", one.path, one.body, got)
		}
		if got := p.Do("POST", one.path+"?preview=1", one.body); !strings.Contains(got.Body,
			`"problems":`+one.problems+`,"problemCount"`) {
			t.Errorf("POST %s?preview=1 %s: %s, want the problems %s", one.path, one.body, got, one.problems)
		}
		if got := p.m.Person().Do("POST", one.path, one.body); got.Status != 403 {
			t.Errorf("POST %s by a reader: %s, want 403", one.path, got)
		}
	}
	if got := p.Do("POST", "/songs/import", strings.Repeat("x", maxSongImport+1)); got.Status != 413 {
		t.Errorf("more than 16 MiB of songs: %s, want 413", got)
	}
	got := p.Do("GET", "/export", nil).Body
	if !strings.HasPrefix(got, `{"songs":[],`) || strings.Count(got, "startsAt") > 1 {
		t.Errorf("refused imports have changed something: %s", got)
	}
}

// TestSongsAsText: songs are imported from plain text, with or without headings, and only once.
func TestSongsAsText(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	for _, want := range []string{`"new":2,"changed":0,"same":0`, `"new":0,"changed":0,"same":2`} {
		got := p.Do("POST", "/songs/import", strings.ReplaceAll(hymns, "\n", "\r\n"))
		if !strings.Contains(got.Body, want) {
			t.Errorf("POST /songs/import: %s, want %s", got, want)
		}
	}
	var all exchange
	p.Do("GET", "/export", nil).JSON(&all)
	got := ""
	for _, one := range all.Songs {
		got += fmt.Sprintf("%s (%s) %q\n", one.Title, one.Credit, one.Sections)
	}
	want := `Amazing Grace () [{"Chorus" "Amazing grace! how sweet the sound"}]
Holy, Holy, Holy (Reginald Heber, 1826) [{"1" "Holy, holy, holy! Lord God Almighty!\nEarly in the morning ` +
		`our song shall rise to Thee"} {"Verse 2" "Holy, holy, holy! all the saints adore Thee"}]` + "\n"
	if got != want {
		t.Errorf("the songs are\n%swant\n%s", got, want)
	}
}

// TestPeopleAreExportedAndForgotten: a person can export what they wrote and drove, and their id is removed
// when they are erased.
func TestPeopleAreExportedAndForgotten(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &stage{}, sdktest.Options{})
	p := planner{m.Person(editPlan, controlLive), t, m}
	d := driver{p.Caller, p, p.service("Sunday", time.Now()).ID}
	p.song("Holy", "x")
	d.take()
	for _, want := range []string{"1 services, 1 songs, drives true", "0 services, 0 songs, drives false"} {
		var own struct {
			ServicesLastWritten, SongsLastWritten []written
			Drives                                bool
		}
		if err := m.Export(d.Caller.ID, &own); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d services, %d songs, drives %t", len(own.ServicesLastWritten),
			len(own.SongsLastWritten), own.Drives)
		if got != want {
			t.Errorf("export: %s, want %s", got, want)
		}
		for range 2 {
			if err := m.Erase(d.Caller.ID); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestACancelledServiceOfAPerson: for a day, a cancelled service is still in the export of whoever wrote it
// last, and an erasure reaches it. The export of everything has no cancelled services, and the import of an
// older one brings them back.
func TestACancelledServiceOfAPerson(t *testing.T) {
	t.Parallel()
	s := &stage{}
	m := sdktest.Start(t, s, sdktest.Options{})
	p := planner{m.Person(editPlan), t, m}
	kept := p.service("Morning", time.Now().AddDate(0, 0, 3))
	gone := p.service("Evening", time.Now().AddDate(0, 0, 4))
	file := p.Do("GET", "/export", nil).Body
	if got := p.Do("DELETE", "/services/"+gone.ID, nil); got.Status != 204 {
		t.Fatalf("DELETE: %s, want 204", got)
	}
	got := p.Do("GET", "/export", nil).Body
	if strings.Contains(got, gone.ID) || !strings.Contains(got, kept.ID) {
		t.Errorf("the export is %s, want the service that takes place alone", got)
	}
	own := func() (titles string) {
		t.Helper()
		var data struct{ ServicesLastWritten []written }
		if err := m.Export(p.ID, &data); err != nil {
			t.Fatal(err)
		}
		for _, one := range data.ServicesLastWritten {
			titles += one.Title + " "
		}
		return titles
	}
	if got := own(); got != "Morning Evening " {
		t.Errorf("the writer's export has %q, want both services", got)
	}
	if err := m.Erase(p.ID); err != nil {
		t.Fatal(err)
	}
	var writers int
	err := s.store.db.QueryRow(t.Context(), `SELECT count(changed_by) FROM services`).Scan(&writers)
	if got := own(); got != "" || writers != 0 || err != nil {
		t.Errorf("after the erasure the export has %q, and %d services have a writer, %v; want none", got, writers,
			err)
	}
	other := m.Person(editPlan)
	if got := other.Do("POST", "/import", file); got.Status != 200 {
		t.Fatalf("the import: %s, want 200", got)
	}
	if got := other.Do("GET", "/export", nil).Body; got != file {
		t.Errorf("after the import of the older file: %s, want %s", got, file)
	}
}
