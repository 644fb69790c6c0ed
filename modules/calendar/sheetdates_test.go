package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// course is a weekly event of four dates from a day on, at 10:00, and its dates.
type course struct {
	*started
	id    string
	rev   int64
	first time.Time
}

// newCourse makes a course in Berlin from a week on.
func newCourse(t *testing.T) *course {
	t.Helper()
	c := &course{started: start(t, "Europe/Berlin"), first: time.Now().UTC().AddDate(0, 0, 7), rev: 1}
	c.id = c.write(t, "POST", "/events", c.body(0, "10:00", "FREQ=WEEKLY;COUNT=4"), 201).ID
	return c
}

// day is the day of a date, some days later.
func (c *course) day(n, later int) string { return c.first.AddDate(0, 0, 7*n+later).Format(dayForm) }

// date is how a date of the course is addressed.
func (c *course) date(n int) string { return c.day(n, 0) + "T10:00" }

// body is the course, so many days later, at another time.
func (c *course) body(later int, at, rule string) string {
	day := c.day(0, later)
	return event1("Course", day+"T"+at, day+"T"+at[:2]+":45", rule)
}

func (c *course) at(date string) string { return "/events/" + c.id + "/dates/" + date }

// offer lets people sign up for a date, and puts some on its list. It returns the id of the sheet.
func (c *course) offer(t *testing.T, date string, people ...string) (sheet string) {
	t.Helper()
	got := c.office.Do("PUT", c.at(date)+"/signups", fmt.Sprintf(noQuestions, 1, true))
	if got.Status != 200 {
		t.Fatalf("PUT the sheet of %s: %s", date, got)
	}
	c.rev++
	made := c.office.Do("POST", c.at(date)+"/signups/link", `{}`)
	if made.Status != 201 {
		t.Fatalf("the link of %s: %s", date, made)
	}
	for _, l := range c.Links() {
		if strings.Contains(made.Body, l.Address) {
			sheet = strings.TrimPrefix(l.Subject, eventPrefix)
		}
	}
	for _, name := range people {
		c.guest(t, sheet, name, 201)
	}
	c.due(t)
	return sheet
}

// change writes the course, and counts its rev.
func (c *course) change(t *testing.T, method, path, body string) shownEvent {
	t.Helper()
	if body = with(body, c.rev); strings.HasPrefix(body, "{,") {
		body = "{" + body[2:]
	}
	e := c.write(t, method, path, body, 200)
	c.rev++
	return e
}

// list returns what the organiser reads of a date.
func (c *course) list(t *testing.T, event, date string) (all shownList) {
	t.Helper()
	got := c.office.Do("GET", "/events/"+event+"/dates/"+date+"/signups", nil)
	if got.Status != 200 {
		t.Fatalf("the list of %s: %s", date, got)
	}
	got.JSON(&all)
	return all
}

func (all shownList) names() string {
	var names []string
	for _, p := range all.People {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// heard sends what is due, and asserts what somebody has heard after the mail of their sign-up.
func (c *course) heard(t *testing.T, name string, want ...string) {
	t.Helper()
	c.due(t)
	if got := c.heardBy(name); len(got) == 0 || strings.Join(got[1:], ", ") != strings.Join(want, ", ") {
		t.Errorf("%s has heard %q, want %q after the sign-up", name, got, want)
	}
}

// course makes a weekly event whose second date takes sign-ups, and returns its id and that of the sheet.
func (s *started) course(t *testing.T, sheet string) (event, id string) {
	t.Helper()
	e := s.write(t, "POST", "/events",
		event1("Course", soon(3)+"T10:00", soon(3)+"T11:00", "FREQ=WEEKLY;COUNT=4"), 201)
	got := s.office.Do("PUT", "/events/"+e.ID+"/dates/"+soon(10)+"T10:00/signups", sheet)
	if got.Status != 200 {
		t.Fatalf("PUT the sheet of a date: %s", got)
	}
	err := s.module.db.QueryRow(t.Context(), `SELECT id::text FROM sheets WHERE event_id = $1::uuid`,
		e.ID).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return e.ID, id
}

// TestSignUpForADate: a date of a series has a sheet, a link and a list of its own; the others take nobody.
func TestSignUpForADate(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	second, third := c.offer(t, c.date(1), "Anna", "Ben"), c.offer(t, c.date(2), "Anna")
	if second == third || second == c.id {
		t.Fatalf("the sheets are %s and %s of %s, want each its own", second, third, c.id)
	}
	c.guest(t, second, "ANNA", 409) // the same person on the same date
	if all := c.list(t, c.id, c.date(1)); all.names() != "Anna Ben" || !all.People[1].Waits ||
		all.Event.Start != c.date(1) {
		t.Errorf("the list of the second date is %+v", all)
	}
	if all := c.list(t, c.id, c.date(0)); all.Sheet != nil || all.names() != "" || all.Off {
		t.Errorf("the list of the first date is %+v, want no sheet", all)
	}
	var signUps []bool
	for _, o := range c.seen(t, soon(0), soon(60)).Occurrences {
		signUps = append(signUps, o.SignUp)
	}
	if fmt.Sprint(signUps) != "[false true true false]" {
		t.Errorf("the dates take sign-ups: %v, want the second and the third", signUps)
	}
	var page shownSignUp
	c.Link(sheetSubject(third)).Do("GET", "/link", nil).JSON(&page)
	if page.Event.Start != c.date(2) || !page.Event.Series || page.Free != 0 {
		t.Errorf("the link of the third date shows %+v", page)
	}
	subject, text := c.mail(t, "Anna", 1)
	day := c.first.AddDate(0, 0, 7).Format("2 January")
	if subject != "You are signed up: Course" || !strings.Contains(text, day) {
		t.Errorf("the mail is %q %q, want the date", subject, text)
	}
	member := c.Person()
	who := `{"name":"Mia","email":"mia@example.org","language":"en","answers":{}}`
	for path, want := range map[string]int{
		c.at(c.date(1)) + "/signup":                             201,
		c.at(c.date(0)) + "/signup":                             404, // takes none
		c.at(c.day(0, 1)+"T10:00") + "/signup":                  404, // no date of the course
		"/events/" + c.id + "/signup":                           404, // the series as a whole
		"/events/" + c.id + "/dates/tomorrow/signup":            404,
		"/events/" + second + "/dates/" + c.date(1) + "/signup": 404, // the id of a sheet
	} {
		if got := member.Do("POST", path, who); got.Status != want {
			t.Errorf("a member signs up at %s: %s, want %d", path, got, want)
		}
	}
	for _, path := range []string{c.at(c.date(1)) + "/signups", c.at(c.date(1)) + "/signups.csv",
		"/events/" + c.id + "/signups/dates"} {
		got, link := member.Do("GET", path, nil), c.Link(sheetSubject(second)).Do("GET", path, nil)
		if got.Status != 403 || link.Status == 200 || strings.Contains(got.Body+link.Body, "Anna") {
			t.Errorf("GET %s: a member gets %s, a link %s; want refusals", path, got, link)
		}
	}
	for path, want := range map[string]int{
		c.at(c.day(0, 1)+"T10:00") + "/signups": 404, "/events/" + c.id + "/signups": 409,
	} {
		if got := c.office.Do("PUT", path, fmt.Sprintf(noQuestions, 1, true)); got.Status != want {
			t.Errorf("PUT %s: %s, want %d", path, got, want)
		}
	}
	if got := c.office.Do("DELETE", c.at(c.date(1))+"/signups", nil); got.Status != 204 {
		t.Errorf("the second date takes none any more: %s", got)
	}
	for _, l := range c.Links() {
		if l.Subject == sheetSubject(second) && !l.Revoked || l.Subject == sheetSubject(third) && l.Revoked {
			t.Errorf("the link %+v, want that of the second date ended, and not that of the third", l)
		}
	}
	if all := c.list(t, c.id, c.date(2)); all.names() != "Anna" {
		t.Errorf("the list of the third date is %+v", all)
	}
}

// TestMovedDate: who has signed up for a date hears that it is moved, cancelled, and takes place after all.
// The sheet closes when the date begins now, and the list of a cancelled one is read.
func TestMovedDate(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	sheet := c.offer(t, c.date(1), "Anna")
	c.offer(t, c.date(2), "Cora")
	c.change(t, "PUT", c.at(c.date(1)),
		event1("Course in the hall", c.day(1, 2)+"T18:00", c.day(1, 2)+"T19:00", ""))
	c.heard(t, "Anna", "Another time: Course in the hall")
	_, text := c.mail(t, "Anna", 2)
	if !strings.Contains(text, "18:00") || !strings.Contains(text, "Before: ") {
		t.Errorf("the mail is %q, want both times", text)
	}
	var page shownSignUp
	c.Link(sheetSubject(sheet)).Do("GET", "/link", nil).JSON(&page)
	closes := c.module.zone().instant(mustParse(t, c.day(1, 2)+"T18:00"))
	if page.Event.Title != "Course in the hall" || page.Event.Start != c.day(1, 2)+"T18:00" ||
		!page.Closes.Equal(closes) {
		t.Errorf("the page shows %+v, want the new time, and that it closes then", page)
	}
	c.change(t, "POST", c.at(c.date(1))+"/cancel", `{}`)
	c.heard(t, "Anna", "Another time: Course in the hall", "Cancelled: Course")
	if all := c.list(t, c.id, c.date(1)); !all.Off || all.names() != "Anna" {
		t.Errorf("the list of the cancelled date is %+v, want Anna, and that it is off", all)
	}
	c.change(t, "POST", c.at(c.date(3))+"/cancel", `{}`)
	got := c.office.Do("PUT", c.at(c.date(3))+"/signups", fmt.Sprintf(noQuestions, 1, true))
	if got.Status != 404 || !strings.Contains(got.Body, "DATE_NOT_FOUND") {
		t.Errorf("a cancelled date shall take sign-ups: %s, want 404 DATE_NOT_FOUND", got)
	}
	own := c.own(t, text)
	for what, got := range map[string]int{
		"the page of a cancelled date":  c.Link(sheetSubject(sheet)).Do("GET", "/link", nil).Status,
		"the sign-up for one":           own.Do("GET", "/link", nil).Status,
		"somebody withdraws from one":   own.Do("POST", "/link/withdraw", `{}`).Status,
		"an address for a date is made": c.office.Do("POST", c.at(c.date(1))+"/signups/link", `{}`).Status,
	} {
		if got != 404 {
			t.Errorf("%s: %d, want 404", what, got)
		}
	}
	c.guest(t, sheet, "Dan", 404)
	c.change(t, "POST", c.at(c.date(1))+"/restore", `{}`)
	c.heard(t, "Anna", "Another time: Course in the hall", "Cancelled: Course", "It takes place: Course")
	c.heard(t, "Cora")
}

// counts returns what whoever changes the course is told: of each list its date, how many are on it, and
// whether it is off.
func (c *course) counts(t *testing.T, event string) string {
	t.Helper()
	var all struct{ Dates []shownDate }
	c.office.Do("GET", "/events/"+event+"/signups/dates", nil).JSON(&all)
	var lines []string
	for _, d := range all.Dates {
		line := fmt.Sprint(d.Start, " ", d.People)
		if d.Off {
			line += " off"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// TestSeriesChanges: what becomes of the lists of a series' dates when the series changes.
func TestSeriesChanges(t *testing.T) {
	t.Parallel()
	const weekly = "FREQ=WEEKLY;COUNT=4"
	moved, off, on := "Another time: Course", "Cancelled: Course", "It takes place: Course"
	for name, one := range map[string]struct {
		change func(t *testing.T, c *course)
		want   func(c *course) string // the lists of the series
		anna   []string               // on the second date
		cora   []string               // on the third
	}{
		"an hour later": {
			change: func(t *testing.T, c *course) { c.change(t, "PUT", "/events/"+c.id, c.body(0, "11:00", weekly)) },
			want:   func(c *course) string { return c.day(1, 0) + "T11:00 1, " + c.day(2, 0) + "T11:00 1" },
			anna:   []string{moved}, cora: []string{moved},
		},
		"another weekday": {
			change: func(t *testing.T, c *course) { c.change(t, "PUT", "/events/"+c.id, c.body(1, "10:00", weekly)) },
			want:   func(c *course) string { return c.day(1, 1) + "T10:00 1, " + c.day(2, 1) + "T10:00 1" },
			anna:   []string{moved}, cora: []string{moved},
		},
		"every other week, and every week again": {
			change: func(t *testing.T, c *course) {
				c.change(t, "PUT", "/events/"+c.id, c.body(0, "10:00", "FREQ=WEEKLY;INTERVAL=2;COUNT=4"))
				want := c.date(1) + " 1 off, " + c.date(2) + " 1"
				if got := c.counts(t, c.id); got != want {
					t.Errorf("every other week: %s, want %s", got, want)
				}
				c.heard(t, "Anna", off)
				if all := c.list(t, c.id, c.date(1)); all.names() != "Anna" || !all.Off {
					t.Errorf("the list of a date that is gone is %+v, want Anna", all)
				}
				c.change(t, "PUT", "/events/"+c.id, c.body(0, "10:00", weekly))
			},
			want: func(c *course) string { return c.date(1) + " 1, " + c.date(2) + " 1" },
			anna: []string{off, on}, cora: nil,
		},
		"daily, and every week again": { // a date in between does not become one that was there before
			change: func(t *testing.T, c *course) {
				c.change(t, "PUT", "/events/"+c.id, c.body(0, "10:00", "FREQ=DAILY;COUNT=30"))
				c.offer(t, c.day(0, 1)+"T10:00", "Dora")
				c.change(t, "PUT", "/events/"+c.id, c.body(0, "10:00", weekly))
				c.heard(t, "Dora", off)
			},
			want: func(c *course) string {
				return c.day(0, 1) + "T10:00 1 off, " + c.date(1) + " 1, " + c.date(2) + " 1"
			},
		},
		"it ends before the third date": {
			change: func(t *testing.T, c *course) {
				c.change(t, "POST", "/events/"+c.id+"/following/"+c.date(2)+"/end", `{}`)
			},
			want: func(c *course) string { return c.date(1) + " 1, " + c.date(2) + " 1 off" },
			anna: nil, cora: []string{off},
		},
		"its end is taken back at once": {
			change: func(t *testing.T, c *course) {
				c.change(t, "POST", "/events/"+c.id+"/following/"+c.date(2)+"/end", `{}`)
				c.change(t, "PUT", "/events/"+c.id, c.body(0, "10:00", weekly))
			},
			want: func(c *course) string { return c.date(1) + " 1, " + c.date(2) + " 1" },
		},
		"from the third date on in the evening": {
			change: func(t *testing.T, c *course) {
				later := event1("Course", c.day(2, 1)+"T18:00", c.day(2, 1)+"T18:45", weekly)
				e := c.change(t, "PUT", "/events/"+c.id+"/following/"+c.date(2), later)
				if got := c.counts(t, e.ID); got != c.day(2, 1)+"T18:00 1" {
					t.Errorf("the later part has %s", got)
				}
				if all := c.list(t, e.ID, c.day(2, 1)+"T18:00"); all.names() != "Cora" {
					t.Errorf("the list of the later part is %+v", all)
				}
			},
			want: func(c *course) string { return c.date(1) + " 1" },
			anna: nil, cora: []string{moved},
		},
		"once, on the third date": {
			change: func(t *testing.T, c *course) {
				c.change(t, "PUT", "/events/"+c.id, event1("Course", c.date(2), c.day(2, 0)+"T10:45", ""))
				if names, _ := c.people(t, c.id); strings.Join(names, " ") != "Cora" {
					t.Errorf("the event has %v on its list, want Cora", names)
				}
			},
			want: func(c *course) string { return c.date(1) + " 1 off, " + c.date(2) + " 1" },
			anna: []string{off}, cora: nil,
		},
		"deleted, and restored": {
			change: func(t *testing.T, c *course) {
				c.write(t, "DELETE", "/events/"+c.id, "", 204)
				c.heard(t, "Anna", off)
				c.write(t, "POST", "/events/"+c.id+"/restore", `{}`, 200)
			},
			want: func(c *course) string { return c.date(1) + " 1, " + c.date(2) + " 1" },
			anna: []string{off, on}, cora: []string{off, on},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCourse(t)
			c.offer(t, c.date(1), "Anna")
			third := c.offer(t, c.date(2), "Cora")
			one.change(t, c)
			if got := c.counts(t, c.id); got != one.want(c) {
				t.Errorf("the lists are %s, want %s", got, one.want(c))
			}
			c.heard(t, "Anna", one.anna...)
			c.heard(t, "Cora", one.cora...)
			if len(one.cora) == 0 || one.cora[len(one.cora)-1] != off { // the printed address goes on
				c.guest(t, third, "Dan", 201)
			}
		})
	}
}

// TestListOfADateFromBefore: an event with sign-ups does not become a series on whose first date there is a
// list from before, which would be lost.
func TestListOfADateFromBefore(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.offer(t, c.date(1), "Anna")
	c.offer(t, c.date(2), "Cora")
	once := func(n int) string { return event1("Course", c.date(n), c.day(n, 0)+"T10:45", "") }
	c.change(t, "PUT", "/events/"+c.id, once(2)) // Anna's date is gone
	c.change(t, "PUT", "/events/"+c.id, once(1))
	weekly := event1("Course", c.date(1), c.day(1, 0)+"T10:45", "FREQ=WEEKLY")
	got := c.office.Do("PUT", "/events/"+c.id, with(weekly, c.rev))
	if got.Status != 409 || !strings.Contains(got.Body, "SIGNUP_REPEATS") {
		t.Fatalf("it shall repeat: %s, want 409 SIGNUP_REPEATS", got)
	}
	if all := c.list(t, c.id, c.date(1)); all.names() != "Anna" || !all.Off {
		t.Errorf("the list from before is %+v, want Anna", all)
	}
	if got := c.office.Do("DELETE", c.at(c.date(1))+"/signups", nil); got.Status != 204 {
		t.Errorf("the list from before is deleted: %s", got)
	}
	c.rev++
	c.change(t, "PUT", "/events/"+c.id, weekly)
	if all := c.list(t, c.id, c.date(1)); all.names() != "Cora" || all.Off {
		t.Errorf("the list of the first date is %+v, want Cora", all)
	}
}

// TestEventBecomesSeries: the sheet of an event that is made to repeat is that of its first date, and comes
// back when it happens once again.
func TestEventBecomesSeries(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	id := s.camp(t, fmt.Sprintf(noQuestions, 0, false))
	s.guest(t, id, "Anna", 201)
	s.due(t)
	camp := func(rule string) string { return event1("Camp", soon(3)+"T10:00", soon(3)+"T18:00", rule) }
	s.write(t, "PUT", "/events/"+id, with(camp("FREQ=WEEKLY"), 2), 200)
	var all shownList
	s.office.Do("GET", "/events/"+id+"/dates/"+soon(3)+"T10:00/signups", nil).JSON(&all)
	if all.names() != "Anna" || all.Off {
		t.Errorf("the list of the first date is %+v, want Anna", all)
	}
	s.guest(t, id, "Ben", 201) // at the address from before
	s.write(t, "PUT", "/events/"+id, with(camp(""), 3), 200)
	s.assertPeople(t, id, "Anna Ben")
	s.due(t)
	if got := s.heardBy("Anna"); len(got) != 1 {
		t.Errorf("Anna has heard %q, want that she is signed up, because nothing is another for her", got)
	}
}
