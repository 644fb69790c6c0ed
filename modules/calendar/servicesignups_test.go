package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/waittest"
)

// signUpsForMorning plans a service with one place. Anna has it, and Ben waits.
func (s *started) signUpsForMorning(t *testing.T, p *planning, at time.Time) {
	t.Helper()
	p.set(morning, "Morning", at, 60)
	s.seen(t, soon(0), soon(60))
	s.sheet(t, morning, fmt.Sprintf(noQuestions, 1, true), 200)
	s.guest(t, morning, "Anna", 201)
	s.guest(t, morning, "Ben", 201)
}

// TestSignUpForAService: a service takes sign-ups as an event does. Who has signed up hears what becomes of
// it where it is planned, although nobody looks at the calendar.
func TestSignUpForAService(t *testing.T) {
	t.Parallel()
	s, p, _ := startWithServices(t)
	at := comingSunday()
	s.signUpsForMorning(t, p, at)
	if o := s.seen(t, soon(0), soon(60)).Occurrences[0]; !o.SignUp || !o.Service {
		t.Errorf("the calendar has %+v, want a service that takes sign-ups", o)
	}
	s.assertPeople(t, morning, "Anna Ben*")
	s.due(t)
	assertCount := func(when string, want int64) {
		t.Helper()
		var counted struct{ People int64 }
		s.Person().Do("GET", "/services/"+morning+"/signups/count", nil).JSON(&counted)
		if counted.People != want {
			t.Errorf("%s: whoever cancels it is told of %d people, want %d", when, counted.People, want)
		}
	}
	assertCount("with Anna and Ben", 2)

	s.module.stopFollowing() // as in a house in which nobody looks at the calendar
	assert := func(what string, want ...string) {
		t.Helper()
		s.module.mails.Wake()
		waittest.Until(t, what+" is known", func() bool {
			waiting := 0
			err := s.module.db.QueryRow(t.Context(),
				`SELECT count(*) FROM participants WHERE mail = 'changed'`).Scan(&waiting)
			return err == nil && waiting == 2
		})
		s.due(t)
		for _, name := range []string{"Anna", "Ben"} {
			if got := strings.Join(s.heardBy(name)[1:], ", "); got != strings.Join(want, ", ") {
				t.Errorf("%s: %s has heard %q, want %q", what, name, got, want)
			}
		}
	}
	p.set(morning, "Morning", at.Add(time.Hour), 60)
	assert("a move", "Another time: Morning")
	p.put(morning, "Morning", at.Add(time.Hour), 60, true)
	assert("the end", "Another time: Morning", "Cancelled: Morning")
	assertCount("cancelled", 0)
	p.set(morning, "Morning", at.Add(time.Hour), 60)
	assert("that it is on", "Another time: Morning", "Cancelled: Morning", "It takes place: Morning")

	p.set(morning, "Late morning", at.Add(2*time.Hour), 60)
	var page shownSignUp
	s.Link(sheetSubject(morning)).Do("GET", "/link", nil).JSON(&page)
	if want := clock(at.Add(2 * time.Hour)); page.Event.Start != want || page.Event.Title != "Late morning" {
		t.Errorf("the page of the link has %+v, want the service as it is planned now, at %s", page.Event, want)
	}
}

// TestSignUpsForServicesInFiles: an archive has who has signed up for a service. It waits for the service,
// and nobody gets a mail of it.
func TestSignUpsForServicesInFiles(t *testing.T) {
	t.Parallel()
	s, p, office := startWithServices(t)
	at := comingSunday()
	s.signUpsForMorning(t, p, at)
	file := office.Do("GET", "/export", nil).Body

	there, q, office := startWithServices(t)
	for range 2 { // the second time there is nothing new
		if got := office.Do("POST", "/import?format=json", file); got.Status != 200 {
			t.Fatalf("POST /import: %s, want 200", got)
		}
	}
	q.set(morning, "Morning", at, 60)
	there.seen(t, soon(0), soon(60))
	there.assertPeople(t, morning, "Anna Ben*")
	there.due(t)
	if got := there.Sent(); len(got) != 0 {
		t.Errorf("%d mails, want none: %+v", len(got), got)
	}
	q.set(morning, "Morning", at.Add(time.Hour), 60)
	there.seen(t, soon(0), soon(60))
	there.due(t)
	if got := there.heardBy("Anna"); len(got) != 1 || got[0] != "Another time: Morning" {
		t.Errorf("after a move Anna has heard %q, want the other time", got)
	}
	broken := strings.Replace(file, `"places":1`, `"places":-1`, 1)
	if got := office.Do("POST", "/import?format=json", broken); !strings.Contains(got.Body, "FILE_INVALID") {
		t.Errorf("a sheet that cannot be: %s, want FILE_INVALID", got)
	}
}

// TestErasedSignUpForAService: an archive from before does not bring back who was erased since, on the list
// of a service.
func TestErasedSignUpForAService(t *testing.T) {
	t.Parallel()
	s, p, office := startWithServices(t)
	s.signUpsForMorning(t, p, comingSunday())
	member := s.Person()
	got := member.Do("POST", "/events/"+morning+"/signup",
		`{"name":"Mia","email":"mia@example.org","language":"en","answers":{}}`)
	if got.Status != 201 {
		t.Fatalf("Mia signs up: %s", got)
	}
	file := office.Do("GET", "/export", nil).Body
	if err := s.Erase(member.ID); err != nil {
		t.Fatal(err)
	}
	s.assertPeople(t, morning, "Anna Ben*")
	if o, _ := s.send(t, "format=json", file); o.NoteCount != 0 {
		t.Errorf("with the list as it is: %+v, want no note", o)
	}
	if _, err := s.module.db.Exec(t.Context(), `DELETE FROM sheets`); err != nil {
		t.Fatal(err)
	}
	o, _ := s.send(t, "format=json", file)
	if o.NoteCount != 1 || !strings.HasPrefix(o.Notes[0].Detail, "Mia, ") {
		t.Errorf("the archive from before: %+v, want Mia named", o)
	}
	s.assertPeople(t, morning, "Anna Ben*")
}
