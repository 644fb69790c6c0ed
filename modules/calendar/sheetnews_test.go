package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/waittest"
)

// due lets the time pass in which news are gathered, and waits until nothing waits to be sent.
func (s *started) due(t *testing.T) {
	t.Helper()
	if _, err := s.module.db.Exec(t.Context(), `UPDATE participants SET mail_at = now()`); err != nil {
		t.Fatal(err)
	}
	s.module.mails.Wake()
	waittest.Until(t, "all mails are sent", func() bool {
		var waiting int
		err := s.module.db.QueryRow(t.Context(),
			`SELECT count(*) FROM participants WHERE mail <> ''`).Scan(&waiting)
		return err == nil && waiting == 0
	})
}

// heardBy returns the subjects of the mails to somebody, in their order.
func (s *started) heardBy(name string) (subjects []string) {
	for _, m := range s.Sent() {
		if m.To[0].Address == strings.ToLower(name)+"@example.org" {
			subjects = append(subjects, m.Subject)
		}
	}
	return subjects
}

// TestNewsOfAnEvent: who has signed up hears once of changes that belong together, of none that is taken
// back, and of a cancellation. Who waits for a place hears it, too.
func TestNewsOfAnEvent(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	id := s.camp(t, fmt.Sprintf(noQuestions, 1, true))
	s.guest(t, id, "Anna", 201)
	s.guest(t, id, "Ben", 201)
	s.due(t)
	rev := int64(2)
	edit := func(title, from, until string) {
		t.Helper()
		s.write(t, "PUT", "/events/"+id, with(event1(title, from, until, ""), rev), 200)
		rev++
	}
	assert := func(when string, want ...string) {
		t.Helper()
		s.due(t)
		for _, name := range []string{"Anna", "Ben"} {
			got := s.heardBy(name)[1:] // but for that of the sign-up
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("%s: %s has heard %q, want %q", when, name, got, want)
			}
		}
	}
	edit("Camp 2", soon(3)+"T10:00", soon(3)+"T18:00")
	assert("after a new title")
	edit("Camp", soon(4)+"T10:00", soon(4)+"T18:00")
	edit("Camp", soon(3)+"T10:00", soon(3)+"T18:00")
	assert("after a move that was taken back")
	edit("Camp", soon(4)+"T10:00", soon(4)+"T18:00")
	edit("Camp", soon(4)+"T11:00", soon(4)+"T18:00")
	assert("after two moves", "Another time: Camp")
	_, text := s.mail(t, "Anna", 2)
	if !strings.Contains(text, "11:00") || !strings.Contains(text, "Before: ") ||
		!strings.Contains(text, "10:00") || strings.Contains(text, "Anna") {
		t.Errorf("the mail is %q, want both times and nothing that a guest typed", text)
	}
	var page shownSignUp
	if s.own(t, text).Do("GET", "/link", nil).JSON(&page); page.Own == nil || page.Own.Name != "Anna" {
		t.Errorf("the link of the mail shows %+v, want Anna's sign-up", page)
	}
	s.write(t, "DELETE", "/events/"+id, "", 204)
	s.write(t, "POST", "/events/"+id+"/restore", `{}`, 200)
	assert("after a cancellation that was taken back", "Another time: Camp")
	s.write(t, "DELETE", "/events/"+id, "", 204)
	assert("after a cancellation", "Another time: Camp", "Cancelled: Camp")
	s.write(t, "POST", "/events/"+id+"/restore", `{}`, 200)
	assert("when it comes back", "Another time: Camp", "Cancelled: Camp", "It takes place: Camp")
}

// firstMailDeferred makes an event to which Anna has signed up, whose first mail was tried once and has not
// left.
func (s *started) firstMailDeferred(t *testing.T) (id string) {
	t.Helper()
	id = s.camp(t, fmt.Sprintf(noQuestions, 0, false))
	s.FailMail("DEFERRED")
	s.guest(t, id, "Anna", 201)
	waittest.Until(t, "the first try", func() bool {
		tries := 0
		err := s.module.db.QueryRow(t.Context(), `SELECT mail_tries FROM participants`).Scan(&tries)
		return err == nil && tries == 1
	})
	return id
}

// TestNewsWhileAMailLeaves: a move while a mail is on its way is told afterwards.
func TestNewsWhileAMailLeaves(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	id := s.firstMailDeferred(t)
	claimed := waitingMail{Kind: mailNew, Tries: 1, Event: id, State: soon(3) + "T10:00 480 false"}
	err := s.module.db.QueryRow(t.Context(), `SELECT id::text FROM participants`).Scan(&claimed.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "PUT", "/events/"+id, with(event1("Camp", soon(4)+"T10:00", soon(4)+"T18:00", ""), 2), 200)
	if !s.module.settle(t.Context(), &claimed, heardSent) {
		t.Fatal("the outcome was not kept")
	}
	s.due(t)
	if got := s.heardBy("Anna"); len(got) == 0 || got[len(got)-1] != "Another time: Camp" {
		t.Errorf("Anna has heard %q, want the other time, too", got)
	}
}

// TestCancelledBeforeTheFirstMail: whose first mail has not left hears that the event is cancelled, and when
// it comes back.
func TestCancelledBeforeTheFirstMail(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	id := s.firstMailDeferred(t)
	s.write(t, "DELETE", "/events/"+id, "", 204)
	s.due(t)
	s.write(t, "POST", "/events/"+id+"/restore", `{}`, 200)
	s.due(t)
	if got := strings.Join(s.heardBy("Anna"), ", "); got != "Cancelled: Camp, It takes place: Camp" {
		t.Errorf("Anna has heard %q, want that it is cancelled and that it takes place", got)
	}
}

// TestNoNewsOfThePast: nobody hears that an event was corrected that is over.
func TestNoNewsOfThePast(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	id := s.camp(t, fmt.Sprintf(noQuestions, 0, false))
	s.guest(t, id, "Anna", 201)
	s.due(t)
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	if _, err := s.module.db.Exec(t.Context(), `
		WITH moved AS (
			UPDATE events SET starts = ($1 || 'T10:00')::timestamp WHERE id = $2::uuid)
		UPDATE participants SET told = $1 || 'T10:00 480 false'`, yesterday, id); err != nil {
		t.Fatal(err)
	}
	s.write(t, "PUT", "/events/"+id, with(event1("Camp", yesterday+"T09:00", yesterday+"T18:00", ""), 2), 200)
	s.due(t)
	if got := s.heardBy("Anna"); len(got) != 1 {
		t.Errorf("Anna has heard %q, want only that she is signed up", got)
	}
}
