package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// TestBadSongsStopNoOther: a song without words and a file that is none are left out and told, and the others
// are imported, once.
func TestBadSongsStopNoOther(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, one := range []struct{ name, content string }{
		{"hymns.txt", hymns + "---\nTitle alone\n"},
		{"page.html", "<html><body>x</body></html>"},
		{"grace.xml", songfile.OpenLyrics(songfile.Song{Title: "Grace", CCLI: "7",
			Order:    []string{"Chorus", "Chorus"},
			Sections: []songfile.Section{{Label: "Chorus", Text: "[G]Amazing"}}})},
		{"json.json", `{"songs":[{"title":"x","sections":[]},{"title":"y","sections":[{"label":"","text":"z"}]}]}`},
		{"old.txt", "Gro\xdfer Gott\n(" + strings.Repeat("x", 300) + ")\n\nHerr"},
	} {
		part, _ := w.CreateFormFile("file", one.name)
		part.Write([]byte(one.content))
	}
	w.Close()
	send := func(query string) string {
		t.Helper()
		request := p.Request("POST", "/songs/import"+query, bytes.NewReader(form.Bytes()))
		request.Header.Set("Content-Type", w.FormDataContentType())
		got := p.Send(request)
		if got.Status != 200 {
			t.Fatalf("POST /songs/import%s: %s", query, got)
		}
		return got.Body
	}
	const problems = `"problems":[],"problemCount":0,"skipped":[` +
		`{"line":15,"code":"SONG_INVALID","detail":"hymns.txt: Title alone"},` +
		`{"line":1,"code":"FORMAT_UNKNOWN","detail":"page.html"},` +
		`{"line":1,"code":"SONG_INVALID","detail":"json.json: x"}],"skippedCount":3,` +
		`"notes":[{"line":0,"code":"ENCODING_GUESSED","detail":"old.txt"},` +
		`{"line":1,"code":"SONG_SHORTENED","detail":"old.txt: Großer Gott"}],"noteCount":2}`
	const counted = `{"songs":{"new":5,"changed":0,"same":0},"services":{"new":0,"changed":0,"same":0},` +
		`"examples":["Holy, Holy, Holy","Amazing Grace","Grace"],`
	if got := send("?preview=1"); got != counted+problems {
		t.Errorf("POST /songs/import?preview=1: %s\nwant %s", got, counted+problems)
	}
	for _, want := range []string{`"new":5,"changed":0,"same":0`, `"new":0,"changed":0,"same":5`} {
		if got := send(""); !strings.Contains(got, want) {
			t.Errorf("POST /songs/import: %s, want %s", got, want)
		}
	}
	got := p.Do("GET", "/export", nil).Body
	if !strings.Contains(got, `"sections":[{"label":"Chorus","text":"[G]Amazing"}],"copyright":"","ccli":"7",`+
		`"order":["Chorus","Chorus"]`) {
		t.Errorf("the export is %s, want chords, number and order of Grace", got)
	}
}

// TestSongsForOtherPrograms: the archives of all songs have every song, and importing them adds nothing.
func TestSongsForOtherPrograms(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	p.Do("POST", "/songs/import", hymns)
	p.song("A/B", "[G]one")
	p.song("A/B", "two")
	for format, names := range map[string]string{
		"openlyrics": "A-B.xml, A-B (2).xml, Amazing Grace.xml, Holy, Holy, Holy.xml",
		"chordpro":   "A-B.cho, A-B (2).cho, Amazing Grace.cho, Holy, Holy, Holy.cho",
	} {
		got := p.Do("GET", "/export/songs?format="+format, nil)
		archive, err := zip.NewReader(strings.NewReader(got.Body), int64(len(got.Body)))
		if err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		var all []string
		for _, file := range archive.File {
			all = append(all, file.Name)
			opened, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, _ := io.ReadAll(opened)
			if len(content) == 0 {
				t.Errorf("%s is empty", file.Name)
			}
		}
		if list := strings.Join(all, ", "); list != names {
			t.Errorf("the archive has %s, want %s", list, names)
		}
		got = p.Do("POST", "/songs/import", got.Body)
		if !strings.Contains(got.Body, `"new":0,"changed":0,"same":4`) {
			t.Errorf("the import of the archive of %s: %s, want nothing new", format, got)
		}
	}
	for _, query := range []string{"", "?format=pdf"} {
		if got := p.Do("GET", "/export/songs"+query, nil); got.Status != 400 {
			t.Errorf("GET /export/songs%s: %s, want 400", query, got)
		}
	}
	if got := p.m.Person().Do("GET", "/export/songs?format=chordpro", nil); got.Status != 403 {
		t.Errorf("a reader's export: %s, want 403", got)
	}
}

// TestSungInOrder: screens show the sections in their order, without chords, and neither the copyright nor
// the number of the song.
func TestSungInOrder(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	p.Do("POST", "/songs/import", "Grace\n\nVerse 1\n[G]Amaz[C/E]ing [2x] grace\n[D] [G]\n\nChorus\nPraise\n\n"+
		"Verse 2\nMore\n\nChorus\n\nCCLI Song # 7\nJohn\n© Nobody\n")
	var all exchange
	p.Do("GET", "/export", nil).JSON(&all)
	sunday := p.service("Sunday", time.Now())
	p.item(sunday.ID, `{"kind":"song","songId":"`+all.Songs[0].ID+`"}`)
	d := driver{p.m.Person(controlLive), p, sunday.ID}
	d.take()
	var read control
	d.Do("GET", "/live", nil).JSON(&read)
	got := ""
	for _, one := range read.Plan.Items[0].Steps {
		got += fmt.Sprintf("%s %q; ", one.Label, one.Lines)
	}
	const want = `Verse 1 ["Amazing [2x] grace"]; Chorus ["Praise"]; Verse 2 ["More"]; Chorus ["Praise"]; `
	if got != want {
		t.Errorf("the steps are %s, want %s", got, want)
	}
	for _, order := range []string{`["Coda"]`, `[""]`} {
		got := p.Do("POST", "/songs", `{"title":"x","sections":[{"label":"","text":"x"}],"order":`+order+`}`)
		if got.Status != 400 {
			t.Errorf("a song in the order %s: %s, want 400", order, got)
		}
	}
}

// TestManySongs imports 3,000 songs of an archive.
func TestManySongs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	p := startPlanner(t)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for n := range 3000 {
		one, _ := w.Create(fmt.Sprint(n, ".xml"))
		song := songfile.Song{Title: fmt.Sprint("Song ", n)}
		for part := range 5 {
			song.Sections = append(song.Sections, songfile.Section{Label: fmt.Sprint("Verse ", part),
				Text: strings.Repeat(fmt.Sprintf("[G]Words of %d [C]and %d\n", n, part), 6)})
		}
		one.Write([]byte(songfile.OpenLyrics(song)))
	}
	w.Close()
	for _, want := range []string{`"new":3000,`, `"same":3000}`} {
		got := p.Do("POST", "/songs/import", out.Bytes())
		if !strings.Contains(got.Body, want) {
			t.Errorf("POST /songs/import: %s, want %s", got, want)
		}
	}
}
