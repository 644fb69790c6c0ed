package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestSignUpsForDatesInFiles: an archive has who has signed up for the dates of a series, also for one that
// the series has no more. It comes in again, nobody gets a mail of it, and an undo keeps a series for which
// people have signed up since.
func TestSignUpsForDatesInFiles(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.offer(t, c.date(1), "Anna", "Ben")
	c.offer(t, c.date(3), "Cora")
	c.change(t, "POST", "/events/"+c.id+"/following/"+c.date(3)+"/end", `{}`)
	c.change(t, "POST", c.at(c.date(2))+"/cancel", `{}`)
	c.due(t)
	file := c.get(t, "/export")
	table := c.get(t, "/events/"+c.id+"/dates/"+c.date(1)+"/signups.csv")
	if !strings.Contains(table, "Ben,ben@example.org,waiting list,") || strings.Contains(table, "Cora") {
		t.Errorf("the table of the second date is %q", table)
	}

	to := start(t, "Europe/Berlin")
	if o, status := to.send(t, "format=json", file); status != 200 || o.Events != 1 || o.ProblemCount != 0 {
		t.Fatalf("import: %d %+v", status, o)
	}
	there := &course{started: to, id: c.id, first: c.first}
	want := c.date(1) + " 2, " + c.date(3) + " 1 off"
	if got := there.counts(t, c.id); got != want {
		t.Errorf("the lists are %s, want %s", got, want)
	}
	if again := to.get(t, "/export"); again != file {
		t.Errorf("exported again: %s, want %s", again, file)
	}
	to.due(t)
	if len(to.Sent()) != 0 {
		t.Errorf("the import has sent %+v", to.Sent())
	}
	for what, bad := range map[string]string{
		"two lists of a day": strings.Replace(file, `"date":"`+c.date(3)+`","places"`,
			`"date":"`+c.day(1, 0)+`T09:00","places"`, 1),
		"no date": strings.Replace(file, `"date":"`+c.date(3)+`","places"`, `"date":"soon","places"`, 1),
		"an id":   strings.Replace(file, `"dateSignUps":[{"id":"`, `"dateSignUps":[{"id":"x`, 1),
	} {
		third := start(t, "Europe/Berlin")
		if o, _ := third.send(t, "format=json", bad); o.Events != 0 || len(o.Problems)+len(o.Skipped) == 0 {
			t.Errorf("an archive with %s: %+v, want the event left out", what, o)
		}
	}
	var past struct{ Imports []struct{ ID string } }
	to.office.Do("GET", "/imports", nil).JSON(&past)
	member := to.Person()
	who := `{"name":"Mia","email":"mia@example.org","language":"en","answers":{}}`
	if got := member.Do("POST", there.at(c.date(1))+"/signup", who); got.Status != 201 {
		t.Fatalf("a member signs up there: %s", got)
	}
	var done struct{ KeptCount int }
	to.office.Do("DELETE", "/imports/"+past.Imports[0].ID, nil).JSON(&done)
	if done.KeptCount != 1 || there.counts(t, c.id) != c.date(1)+" 3, "+c.date(3)+" 1 off" {
		t.Errorf("the undo keeps %+v, %s; want the series, with Mia", done, there.counts(t, c.id))
	}
}

// TestSignUpsForDatesOfAPerson: the export of a person has the dates that they have signed up for. Erasure
// takes them off each list, also of a date that is cancelled, and gives the place on. An archive from before
// does not bring them back, although the series was split meanwhile.
func TestSignUpsForDatesOfAPerson(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	member := c.Person()
	for n := 1; n < 4; n++ {
		c.offer(t, c.date(n))
		got := member.Do("POST", c.at(c.date(n))+"/signup",
			`{"name":"Anna","email":"anna@example.org","language":"en","answers":{}}`)
		if got.Status != 201 {
			t.Fatalf("sign up for date %d: %s", n, got)
		}
	}
	var second string
	err := c.module.db.QueryRow(t.Context(), `SELECT id::text FROM sheets ORDER BY recurrence`).Scan(&second)
	if err != nil {
		t.Fatal(err)
	}
	c.guest(t, second, "Ben", 201)
	c.due(t)
	file := c.get(t, "/export")
	later := event1("Course", c.day(3, 0)+"T18:00", c.day(3, 0)+"T19:00", "FREQ=WEEKLY;COUNT=2")
	c.change(t, "PUT", "/events/"+c.id+"/following/"+c.date(3), later)
	c.change(t, "POST", c.at(c.date(2))+"/cancel", `{}`)
	c.due(t)
	var data struct{ SignUps []exportedSignUp }
	if err := c.Export(member.ID, &data); err != nil {
		t.Fatal(err)
	}
	var dates []string
	for _, s := range data.SignUps {
		dates = append(dates, s.Event+" "+s.Start)
	}
	want := fmt.Sprintf("Course %s, Course %s, Course %s", c.date(1), c.date(2), c.day(3, 0)+"T18:00")
	if got := strings.Join(dates, ", "); got != want {
		t.Errorf("the export has %s, want %s", got, want)
	}
	for range 2 {
		if err := c.Erase(member.ID); err != nil {
			t.Fatal(err)
		}
	}
	if all := c.list(t, c.id, c.date(1)); all.names() != "Ben" || all.People[0].Waits {
		t.Errorf("the list of the second date is %+v, want Ben with a place", all)
	}
	for _, l := range c.Links() {
		if l.UserID == member.ID && !l.Revoked {
			t.Errorf("the link %+v works", l)
		}
	}
	var left int
	err = c.module.db.QueryRow(t.Context(), `SELECT count(*) FROM participants WHERE name = 'Anna'`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d rows of Anna are left (%v)", left, err)
	}
	if _, err := c.module.db.Exec(t.Context(), `DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	got, _ := c.send(t, "format=json", file)
	if got.Events != 1 || got.NoteCount != 3 || got.Notes[0].Code != "SIGNUP_ERASED" {
		t.Errorf("the archive from before: %+v, want Anna named three times", got)
	}
	want = c.date(1) + " 1, " + c.date(2) + " 0, " + c.date(3) + " 0"
	if got := c.counts(t, c.id); got != want {
		t.Errorf("the lists are %s, want %s", got, want)
	}
}
