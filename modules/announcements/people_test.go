package main

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestPeopleAreExportedAndForgotten: the last writer of a slide can export it, and the writer's id is removed
// when they are erased. The slide remains.
func TestPeopleAreExportedAndForgotten(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	ruth, paul := m.Person(manageSlides), m.Person(manageSlides).Named("Paul")
	var lunch slide
	ruth.Do("POST", "/slides", `{"title":"Shared lunch"}`).JSON(&lunch)
	ruth.Do("POST", "/slides", `{"title":"Choir"}`)
	paul.Do("PUT", "/slides/"+lunch.ID, draft{Title: &lunch.Title, Rev: &lunch.Rev})
	assertWriter := func(want string) {
		t.Helper()
		if got := ruth.Do("GET", "/slides/"+lunch.ID+"/writer", nil); got.String() != "200 "+want {
			t.Errorf("GET /slides/%s/writer: %s, want %s", lunch.ID, got, want)
		}
	}
	assertWriter(`{"name":"Paul"}`)
	assertWritten := func(who *sdktest.Caller, want ...string) {
		t.Helper()
		var got struct{ NoticesLastWritten []written }
		if err := m.Export(who.ID, &got); err != nil || len(got.NoticesLastWritten) != len(want) {
			t.Fatalf("export of %s: %+v, error %v, want %v", who.ID, got, err, want)
		}
		for n, notice := range got.NoticesLastWritten {
			if notice.Title != want[n] {
				t.Errorf("export of %s: notice %d is %q, want %q", who.ID, n+1, notice.Title, want[n])
			}
		}
	}
	assertWritten(ruth, "Choir")
	assertWritten(paul, "Shared lunch")
	assertWritten(m.Person())
	for range 2 {
		if err := m.Erase(ruth.ID); err != nil {
			t.Errorf("erase: %v", err)
		}
	}
	assertWritten(ruth)
	assertWritten(paul, "Shared lunch")
	if err := m.Erase(paul.ID); err != nil {
		t.Errorf("erase: %v", err)
	}
	assertWriter(`{"name":null}`)
	var list struct{ Slides []slide }
	if paul.Do("GET", "/slides", nil).JSON(&list); len(list.Slides) != 2 {
		t.Errorf("%d notices are left, want both", len(list.Slides))
	}
}
