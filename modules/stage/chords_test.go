package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestChordsAboveTheirLetters: each chord is above its letter, also where a line is broken.
func TestChordsAboveTheirLetters(t *testing.T) {
	t.Parallel()
	long := "Though the [G]eye of sinful man Thy glory may not [C]see and every [D]tongue"
	for text, want := range map[string]string{
		"[G]Amazing [C/E]grace":  "Amazing grace 0G 8C/E",
		"A[G]ma[C]zing":          "Amazing 1G 3C",
		"how[D]     sweet   [G]": "how sweet 3D 9G",
		"[G] [D]\nwords\n[Em]":   "words 0G 0D 5Em",
		"no chord [2x]":          "no chord [2x]",
		long:                     "Though the eye of sinful man Thy 11G/glory may not see and every tongue 14C 28D",
		"[G] [D]":                "Song", // only the name is left
	} {
		song := "Song"
		steps := (&words{Kind: songKind, SongTitle: &song, Sections: []section{{"1", text}}}).steps()
		if got := chordsOfSteps(steps); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	// Two semitones higher, and two lower because of the capo.
	for _, one := range []words{{Transpose: 2}, {Capo: 10}, {Transpose: 4, Capo: 2}} {
		one.Sections = []section{{"1", "[G]Amazing [C/E]grace"}}
		if got := chordsOfSteps(one.steps()); got != "Amazing grace 0A 8D/F#" {
			t.Errorf("%d semitones higher with capo %d: %s", one.Transpose, one.Capo, got)
		}
	}
}

func chordsOfSteps(steps []step) string {
	var lines []string
	for _, one := range steps {
		for n, line := range one.Lines {
			if one.Chords != nil {
				for _, chord := range one.Chords[n] {
					line += fmt.Sprintf(" %d%s", chord.At, chord.Chord)
				}
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "/")
}

// TestTransposedItems: an item keeps its key and capo in copies and exports, and only a song has them.
func TestTransposedItems(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	hymn := p.song("Hymn", "[G]one")
	first, second := p.service("First", time.Now()), p.service("Second", time.Now())
	made := p.item(first.ID, `{"kind":"song","songId":"`+hymn.ID+`","transpose":-3,"capo":2}`)
	if made.Transpose != -3 || made.Capo != 2 {
		t.Errorf("the item is %+v, want 3 semitones lower with capo 2", made)
	}
	p.Do("POST", "/services/"+second.ID+"/copy", `{"from":"`+first.ID+`"}`)
	edited := p.Do("PUT", "/items/"+made.ID, `{"kind":"song","songId":"`+hymn.ID+`","transpose":1,"rev":1}`)
	if !strings.Contains(edited.Body, `"transpose":1,"capo":0`) {
		t.Errorf("the edited item is %s, want one semitone higher and no capo", edited)
	}
	file := p.Do("GET", "/export", nil).Body
	if !strings.Contains(file, `"transpose":-3,"capo":2`) || !strings.Contains(file, `"transpose":1,"capo":0`) {
		t.Errorf("the export is %s, want both keys", file)
	}
	empty := startPlanner(t)
	empty.Do("POST", "/import", file)
	if got := empty.Do("GET", "/export", nil).Body; got != file {
		t.Errorf("export of the import: %s, want %s", got, file)
	}
	for _, body := range []string{
		`{"kind":"song","songId":"` + hymn.ID + `","transpose":12}`,
		`{"kind":"song","songId":"` + hymn.ID + `","capo":-1}`,
		`{"kind":"talk","title":"x","transpose":1}`,
	} {
		if got := p.Do("POST", "/services/"+first.ID+"/items", body); got.Status != 400 {
			t.Errorf("POST %s: %s, want 400", body, got)
		}
	}
}

// TestCountdown: before the service the screens count down to its start. The first Next shows the first item;
// after the start, when the first item has come by itself, it shows the second step.
func TestCountdown(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		start time.Duration
		want  string
	}{{time.Hour, "first"}, {-time.Hour, "second"}} {
		p := startPlanner(t)
		sunday := p.service("Sunday", time.Now().Add(one.start))
		p.item(sunday.ID, `{"kind":"talk","title":"first","seconds":60}`)
		p.item(sunday.ID, `{"kind":"talk","title":"second","seconds":60}`)
		d := driver{p.m.Person(controlLive), p, sunday.ID}
		rev := d.take().Live.Rev
		d.press(uuid.NewString(), rev, `"screen","screen":"countdown"`)
		wall := p.m.Device(viewDisplay).Subscribe(screenChannel)
		if !strings.Contains(wall.Body, `"screen":"countdown","startsAt":"`+stamp(sunday.StartsAt)) ||
			!strings.Contains(wall.Body, `"timer":{"endsAt":"`) {
			t.Errorf("during the countdown screens are told %s", wall.Body)
		}
		d.press(uuid.NewString(), rev+1, `"next"`)
		if got := wall.Update(); !strings.Contains(got, `"lines":["`+one.want+`"]`) ||
			!strings.Contains(got, `"screen":"live"`) {
			t.Errorf("Next with a start in %v: screens are told %s, want the %s item", one.start, got, one.want)
		}
	}
}
