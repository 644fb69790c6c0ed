package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// camp makes an event in three days that takes sign-ups on this sheet, and returns its id.
func (s *started) camp(t *testing.T, sheet string) string {
	t.Helper()
	e := s.write(t, "POST", "/events", event1("Camp", soon(3)+"T10:00", soon(3)+"T18:00", ""), 201)
	s.sheet(t, e.ID, sheet, 200)
	return e.ID
}

func (s *started) sheet(t *testing.T, id, body string, status int) (made sheet) {
	t.Helper()
	got := s.office.Do("PUT", "/events/"+id+"/signups", body)
	if got.Status != status {
		t.Fatalf("PUT the sheet %s: %s, want %d", body, got, status)
	}
	if status == 200 {
		got.JSON(&made)
	}
	return made
}

const noQuestions = `{"places":%d,"closes":"","queue":%t,"questions":[]}`

// guest signs somebody up at the link of an event.
func (s *started) guest(t *testing.T, id, name string, status int) signedUp {
	t.Helper()
	return s.answers(t, id, name, `{}`, status)
}

func (s *started) answers(t *testing.T, id, name, answers string, status int) (up signedUp) {
	t.Helper()
	got := s.Link(sheetSubject(id)).Do("POST", "/link/signup", fmt.Sprintf(
		`{"name":%q,"email":"%s@example.org","language":"en","answers":%s}`, name, strings.ToLower(name), answers))
	if got.Status != status {
		t.Fatalf("%s signs up with %s: %s, want %d", name, answers, got, status)
	}
	if status == 201 {
		got.JSON(&up)
	}
	return up
}

// people returns who is on a list, those who wait with a star.
func (s *started) people(t *testing.T, id string) (names []string, all shownList) {
	t.Helper()
	s.office.Do("GET", "/events/"+id+"/signups", nil).JSON(&all)
	for _, p := range all.People {
		if p.Waits {
			p.Name += "*"
		}
		names = append(names, p.Name)
	}
	return names, all
}

func (s *started) assertPeople(t *testing.T, id, want string) {
	t.Helper()
	if names, _ := s.people(t, id); strings.Join(names, " ") != want {
		t.Errorf("the list is %q, want %q", strings.Join(names, " "), want)
	}
}

// mail waits for the mail to somebody after so many others.
func (s *started) mail(t *testing.T, to string, count int) (subject, text string) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("mail %d to %s", count, to), func() bool {
		seen := 0
		for _, m := range s.Sent() {
			if m.To[0].Address == strings.ToLower(to)+"@example.org" {
				if seen++; seen == count {
					subject, text = m.Subject, m.Text
				}
			}
		}
		return seen >= count
	})
	return subject, text
}

// own returns somebody who has the link that is in a text.
func (s *started) own(t *testing.T, text string) *sdktest.Caller {
	t.Helper()
	for _, made := range s.Links() {
		if strings.Contains(text, made.Address) {
			return s.Link(made.Subject)
		}
	}
	t.Fatalf("no link is in %q", text)
	return nil
}

// TestSignUp: guests sign up by the link of an event, see their sign-up by that of their mail, and withdraw.
// The first who waits moves up and hears of it.
func TestSignUp(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	id := s.camp(t, fmt.Sprintf(noQuestions, 2, true))
	got := s.office.Do("POST", "/events/"+id+"/signups/link", `{}`)
	made := s.Links()[0]
	if got.Status != 201 || !strings.Contains(got.Body, made.Address) || made.Subject != sheetSubject(id) {
		t.Fatalf("the link of the event: %s, %+v", got, made)
	}
	ends := s.module.zone().instant(mustParse(t, soon(3)+"T18:00")).Add(linksFor)
	if !made.Ends.Equal(ends) {
		t.Errorf("the link ends at %v, want %v: 30 days after the event", made.Ends, ends)
	}
	for n, name := range []string{"Anna", "Ben", "Cora", "Dan"} {
		if up := s.guest(t, id, name, 201); up.Waits != (n > 1) || up.Address == "" {
			t.Errorf("%s: %+v, want waits %t, and an address", name, up, n > 1)
		}
	}
	s.assertPeople(t, id, "Anna Ben Cora* Dan*")
	subject, text := s.mail(t, "Anna", 1)
	if subject != "You are signed up: Camp" || !strings.Contains(text, "10:00") ||
		strings.Contains(text, "Anna") {
		t.Errorf("the mail is %q %q, want the event with its time and nothing that a guest typed", subject, text)
	}
	anna := s.own(t, text)
	if subject, _ := s.mail(t, "Dan", 1); subject != "You are on the waiting list: Camp" {
		t.Errorf("the mail to Dan is %q", subject)
	}
	var page shownSignUp
	anna.Do("GET", "/link", nil).JSON(&page)
	if page.Own == nil || page.Own.Name != "Anna" || page.Own.Waits || page.Free != 0 || page.Waiting != 2 ||
		!page.Open || page.Event.Title != "Camp" {
		t.Errorf("Anna sees %+v", page)
	}
	_, danText := s.mail(t, "Dan", 1)
	s.own(t, danText).Do("GET", "/link", nil).JSON(&page)
	if page.Own == nil || page.Own.Turn != 2 {
		t.Errorf("Dan sees %+v, want the second of those who wait", page.Own)
	}
	for _, again := range []int{204, 404} { // the second press finds nothing
		if got := anna.Do("POST", "/link/withdraw", `{}`); got.Status != again {
			t.Errorf("Anna withdraws: %s, want %d", got, again)
		}
	}
	s.assertPeople(t, id, "Ben Cora Dan*")
	if subject, _ := s.mail(t, "Cora", 2); subject != "You have a place: Camp" {
		t.Errorf("the second mail to Cora is %q", subject)
	}
	for _, l := range s.Links() {
		if l.Subject == made.Subject == l.Revoked && l.Address == made.Address {
			t.Errorf("the link of the event is %+v", l)
		}
	}
	if got := anna.Do("GET", "/link", nil); got.Status != 404 {
		t.Errorf("Anna's link shows %s, want 404", got)
	}
	s.sheet(t, id, `{"places":5,"closes":"","queue":true,"questions":[],"rev":1}`, 200)
	s.assertPeople(t, id, "Ben Cora Dan")
	s.sheet(t, id, `{"places":1,"closes":"","queue":false,"questions":[],"rev":2}`, 200)
	s.assertPeople(t, id, "Ben Cora Dan") // fewer places take nobody off
	s.guest(t, id, "Eve", 409)
}

// TestSignUpRefused: what cannot be, with its code, changes nothing.
func TestSignUpRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	id := s.camp(t, `{"places":0,"closes":"","queue":false,"questions":[
		{"kind":"text","text":"Allergies","required":false},
		{"kind":"number","text":"How many?","required":true},
		{"kind":"choice","text":"Which meal?","required":true,"choices":["Soup","Bread"]},
		{"kind":"yesno","text":"A lift?","required":true}]}`)
	const good = `{"2":"3","3":"Soup","4":"no"}`
	for what, answers := range map[string]string{
		"nothing": `{}`, "no number": `{"2":"many","3":"Soup","4":"no"}`,
		"negative":  `{"2":"-1","3":"Soup","4":"no"}`,
		"no choice": `{"2":"3","3":"Cake","4":"no"}`, "no yes or no": `{"2":"3","3":"Soup","4":"maybe"}`,
		"an unknown question": `{"2":"3","3":"Soup","4":"no","9":"x"}`,
		"too long":            `{"1":"` + strings.Repeat("x", maxAnswer+1) + `","2":"3","3":"Soup","4":"no"}`,
	} {
		got := s.Link(sheetSubject(id)).Do("POST", "/link/signup",
			`{"name":"Anna","email":"anna@example.org","language":"en","answers":`+answers+`}`)
		if got.Status != 400 || !strings.Contains(got.Body, "ANSWER_INVALID") {
			t.Errorf("%s: %s, want 400 ANSWER_INVALID", what, got)
		}
	}
	for what, who := range map[string]string{
		"no name":                `"name":" ","email":"a@example.org","language":"en"`,
		"no address":             `"name":"A","email":"a","language":"en"`,
		"an address with a name": `"name":"A","email":"A <a@example.org>","language":"en"`,
		"two lines":              `"name":"A\nB","email":"a@example.org","language":"en"`,
		"another language":       `"name":"A","email":"a@example.org","language":"fr"`,
	} {
		got := s.Link(sheetSubject(id)).Do("POST", "/link/signup", `{`+who+`,"answers":`+good+`}`)
		if got.Status != 400 || !strings.Contains(got.Body, "REQUEST_INVALID") {
			t.Errorf("%s: %s, want 400 REQUEST_INVALID", what, got)
		}
	}
	s.assertPeople(t, id, "")
	s.answers(t, id, "Anna", good, 201)
	s.answers(t, id, "ANNA", good, 409) // the same name and address
	yesterday := time.Now().AddDate(0, 0, -1).Format(clockForm)
	s.sheet(t, id, `{"places":0,"closes":"`+yesterday+`","queue":false,"questions":[],"rev":1}`, 200)
	got := s.Link(sheetSubject(id)).Do("POST", "/link/signup",
		`{"name":"Ben","email":"b@example.org","language":"en","answers":{}}`)
	if got.Status != 409 || !strings.Contains(got.Body, "SIGNUP_CLOSED") {
		t.Errorf("after the closing time: %s, want 409 SIGNUP_CLOSED", got)
	}
	if _, all := s.people(t, id); len(all.People) != 1 || len(all.People[0].Answers) != 0 {
		t.Errorf("after its questions are gone: %+v, want Anna without answers", all.People)
	}
	choir := event1("Choir", soon(3)+"T10:00", soon(3)+"T11:00", "FREQ=WEEKLY")
	series := s.write(t, "POST", "/events", choir, 201)
	s.sheet(t, series.ID, fmt.Sprintf(noQuestions, 2, true), 409) // only its dates
	s.sheet(t, id, fmt.Sprintf(noQuestions, 2, true), 409)        // without the rev that was seen
	for _, bad := range []string{
		`{"places":-1,"closes":"","queue":true,"questions":[]}`,
		`{"places":1,"closes":"soon","queue":true,"questions":[]}`,
		`{"places":1,"closes":"","queue":true,"questions":[{"kind":"choice","text":"?","required":true}]}`,
		`{"places":1,"closes":"","queue":true,"questions":[{"kind":"date","text":"?","required":true}]}`,
		`{"places":1,"closes":"","queue":true,"questions":[{"id":"1","kind":"text","text":"?","required":true},
			{"id":"1","kind":"text","text":"!","required":true}]}`,
	} {
		s.sheet(t, id, bad, 400)
	}
}

// TestSignUpReaches: each caller reaches their own part alone.
func TestSignUpReaches(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	id := s.camp(t, fmt.Sprintf(noQuestions, 0, false))
	s.guest(t, id, "Anna", 201)
	_, text := s.mail(t, "Anna", 1)
	anna, event, member := s.own(t, text), s.Link(sheetSubject(id)), s.Person()
	body := `{"name":"Ben","email":"ben@example.org","language":"de","answers":{}}`
	const none = "00000000-0000-4000-8000-000000000001"
	for what, got := range map[string]*sdktest.Response{
		"a guest withdraws with the event's link":     event.Do("POST", "/link/withdraw", `{}`),
		"a guest signs another one up with their own": anna.Do("POST", "/link/signup", body),
		"another event":                         s.Link(sheetSubject(none)).Do("GET", "/link", nil),
		"another subject":                       s.Link("x").Do("GET", "/link", nil),
		"a member withdraws what is not theirs": member.Do("DELETE", "/events/"+id+"/signup", nil),
	} {
		if got.Status != 404 {
			t.Errorf("%s: %s, want 404", what, got)
		}
	}
	for what, got := range map[string]*sdktest.Response{
		"a link reads the list":   event.Do("GET", "/events/"+id+"/signups", nil),
		"a link signs up as one":  event.Do("POST", "/events/"+id+"/signup", body),
		"a member reads the list": member.Do("GET", "/events/"+id+"/signups", nil),
		"a member reads the file": member.Do("GET", "/events/"+id+"/signups.csv", nil),
		"a member makes a link":   member.Do("POST", "/events/"+id+"/signups/link", `{}`),
	} {
		if got.Status != 403 && got.Status != 404 || strings.Contains(got.Body, "Anna") {
			t.Errorf("%s: %s, want a refusal", what, got)
		}
	}
	if got := member.Do("POST", "/events/"+id+"/signup", body); got.Status != 201 {
		t.Errorf("a member signs up: %s, want 201", got)
	}
	got := member.Do("POST", "/events/"+id+"/signup", strings.ReplaceAll(body, "Ben", "Bea"))
	if got.Status != 409 {
		t.Errorf("a member signs up twice: %s, want 409", got)
	}
	var page shownSignUp
	member.Do("GET", "/events/"+id+"/signup", nil).JSON(&page)
	if page.Own == nil || page.Own.Name != "Ben" {
		t.Errorf("the member sees %+v, want their own sign-up", page)
	}
	if w := s.seen(t, soon(3), soon(4)); len(w.Occurrences) != 1 || !w.Occurrences[0].SignUp {
		t.Errorf("the calendar has %+v, want an event that takes sign-ups", w.Occurrences)
	}
	if subject, _ := s.mail(t, "Ben", 1); subject != "Sie sind angemeldet: Camp" {
		t.Errorf("the mail to Ben is %q, want German", subject)
	}
	if got := member.Do("DELETE", "/events/"+id+"/signup", nil); got.Status != 204 {
		t.Errorf("the member withdraws: %s, want 204", got)
	}
	s.assertPeople(t, id, "Anna")
}

// TestLastPlace: of fifty people who sign up at once, in two processes, one gets the last place and nobody
// else; whoever waits stands in the queue once. The sheet is locked until two of them have come to it, so
// that neither has seen what the other one does.
func TestLastPlace(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	other := &calendar{host: s.module.host, db: s.module.db, mails: s.module.mails}
	other.clock.zone.Store(s.module.clock.zone.Load())
	for name, c := range map[string]struct {
		series, queue  bool
		placed, others int
	}{
		"with a queue": {false, true, 1, 49}, "without": {false, false, 1, 0},
		"a date of a series": {true, true, 1, 49},
	} {
		id := s.camp(t, fmt.Sprintf(noQuestions, 1, c.queue))
		if c.series {
			_, id = s.course(t, fmt.Sprintf(noQuestions, 1, c.queue))
		}
		var all sync.WaitGroup
		comes := func(n int) {
			all.Go(func() {
				module := s.module
				if n%2 == 1 {
					module = other
				}
				_, _, err := module.signUp(t.Context(), sheetWith(id), "", signed{Name: fmt.Sprint("Guest ", n),
					Email: fmt.Sprintf("guest%d@example.org", n), Language: "en"})
				if err != nil && (c.queue || err != error(errFull)) {
					t.Errorf("%s: guest %d: %v", name, n, err)
				}
			})
		}
		err := s.module.db.InTx(t.Context(), func(tx *sdk.Tx) error {
			if _, err := sheetWith(id)(t.Context(), tx, "FOR UPDATE"); err != nil {
				return err
			}
			comes(0) // more would wait for a connection, and not for ever
			comes(1)
			waittest.Until(t, "two wait for the sheet", func() bool {
				var waiting int
				_, err := tx.Exec(t.Context(), `SELECT pg_stat_clear_snapshot()`)
				return err == nil && tx.QueryRow(t.Context(), `
					SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND usename = current_user AND wait_event_type = 'Lock'`,
				).Scan(&waiting) == nil && waiting >= 2
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 48 {
			comes(n + 2)
		}
		all.Wait()
		there, err := count(t.Context(), s.module.db, id)
		if err != nil || int(there.Placed) != c.placed || int(there.Waiting) != c.others {
			t.Errorf("%s: %+v (%v) after 50 at once, want %d with a place and %d waiting", name, there, err,
				c.placed, c.others)
		}
	}
}

// TestSignUpLists: the organiser's list as a file, in the house's language, and the archive with everybody on
// it, which another installation imports.
func TestSignUpLists(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	id := s.camp(t, `{"places":1,"closes":"`+soon(2)+`T12:00","queue":true,"questions":[
		{"kind":"yesno","text":"=A lift?","required":false}]}`)
	s.answers(t, id, "Anna", `{"1":"yes"}`, 201)
	s.guest(t, id, "Ben", 201)
	file := s.get(t, "/events/"+id+"/signups.csv")
	for _, want := range []string{"Name,E-mail,Place,Signed up,'=A lift?\r\n", "Anna,anna@example.org,yes,",
		",yes\r\n", "Ben,ben@example.org,waiting list,"} {
		if !strings.Contains(file, want) {
			t.Errorf("the file is %q, want %q in it", file, want)
		}
	}
	all := s.get(t, "/export")
	to := start(t, "Europe/Berlin")
	if o, status := to.send(t, "format=json", all); status != 200 || o.Events != 1 || o.ProblemCount != 0 {
		t.Fatalf("import: %d %+v", status, o)
	}
	to.assertPeople(t, id, "Anna Ben*")
	if again := to.get(t, "/export"); again != all {
		t.Errorf("exported again: %s, want %s", again, all)
	}
	if len(to.Sent()) != 0 {
		t.Errorf("the import has sent %v", to.Sent())
	}
	bad := strings.Replace(all, `"email":"anna@example.org"`, `"email":"nobody"`, 1)
	third := start(t, "Europe/Berlin")
	if o, _ := third.send(t, "format=json", bad); o.Events != 0 || len(o.Problems)+len(o.Skipped) == 0 {
		t.Errorf("an archive with a wrong address: %+v, want the event left out", o)
	}
}

// TestSignUpOfAPerson: a person's export has their sign-ups; an erasure ends the link, takes them off every
// list, also that of a deleted event, and gives the place on.
func TestSignUpOfAPerson(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	id := s.camp(t, `{"places":1,"closes":"","queue":true,"questions":[
		{"kind":"text","text":"Allergies","required":false}]}`)
	deleted := s.camp(t, fmt.Sprintf(noQuestions, 0, false))
	member := s.Person()
	for _, event := range []string{id, deleted} {
		answers := map[bool]string{true: `{"1":"nuts"}`, false: `{}`}[event == id]
		got := member.Do("POST", "/events/"+event+"/signup",
			`{"name":"Anna","email":"anna@example.org","language":"en","answers":`+answers+`}`)
		if got.Status != 201 {
			t.Fatalf("sign up: %s", got)
		}
	}
	s.guest(t, id, "Ben", 201)
	_, _ = s.mail(t, "Anna", 2)
	_, _ = s.mail(t, "Ben", 1) // who moves up before hears of the place alone
	file := s.get(t, "/export")
	s.write(t, "DELETE", "/events/"+deleted, "", 204)
	var data struct{ SignUps []exportedSignUp }
	if err := s.Export(member.ID, &data); err != nil || len(data.SignUps) != 2 ||
		data.SignUps[0].Answers["Allergies"]+data.SignUps[1].Answers["Allergies"] != "nuts" {
		t.Errorf("export: %+v, %v; want both sign-ups, with the answer", data, err)
	}
	for range 2 { // it may be called twice
		if err := s.Erase(member.ID); err != nil {
			t.Fatal(err)
		}
	}
	s.assertPeople(t, id, "Ben")
	if subject, _ := s.mail(t, "Ben", 2); subject != "You have a place: Camp" {
		t.Errorf("the mail to Ben is %q", subject)
	}
	revoked := 0
	for _, l := range s.Links() {
		if l.Revoked != (l.UserID == member.ID) {
			t.Errorf("the link %+v, want those of the member to be hers and ended, and no other", l)
		}
		if l.Revoked {
			revoked++
		}
	}
	if revoked != 2 {
		t.Errorf("the links are %+v, want Anna's two ended and Ben's not", s.Links())
	}
	var left int
	err := s.module.db.QueryRow(t.Context(), `SELECT count(*) FROM participants WHERE name = 'Anna'`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d rows of Anna are left (%v)", left, err)
	}

	// An archive from before brings the events back, when they are gone for good, and not Anna.
	if _, err := s.module.db.Exec(t.Context(), `DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"preview=1&format=json", "format=json"} {
		got, _ := s.send(t, query, file)
		if got.Events != 2 || got.NoteCount != 2 || got.Notes[0].Code != "SIGNUP_ERASED" ||
			!strings.HasPrefix(got.Notes[0].Detail, "Anna, 20") {
			t.Errorf("%s: %+v, want two events, and Anna named twice", query, got)
		}
	}
	s.assertPeople(t, id, "Ben*") // as it was then: nobody moves up without hearing of it
	s.assertPeople(t, deleted, "")
}

// TestSignUpMails: a mail that does not leave waits and is sent later, and the organiser sees how it went.
func TestSignUpMails(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[string]string{
		"DEFERRED": "", "CONNECTION_FAILED": "", "REJECTED": heardRefused, "NOT_CONFIGURED": heardNotSetUp,
	} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			s := start(t, "UTC")
			id := s.camp(t, fmt.Sprintf(noQuestions, 0, false))
			s.FailMail(sdk.SendResult(outcome))
			s.guest(t, id, "Anna", 201)
			heard := func() string { _, all := s.people(t, id); return all.People[0].Heard }
			if want != "" {
				waittest.Until(t, "the outcome", func() bool { return heard() == want })
				return
			}
			tries := 0
			waittest.Until(t, "the first try", func() bool {
				err := s.module.db.QueryRow(t.Context(), `SELECT mail_tries FROM participants`).Scan(&tries)
				return err == nil && tries == 1
			})
			if _, err := s.module.db.Exec(t.Context(), `UPDATE participants SET mail_at = now()`); err != nil {
				t.Fatal(err)
			}
			s.module.mails.Wake()
			s.mail(t, "Anna", 1)
			waittest.Until(t, "the outcome", func() bool { return heard() == heardSent })
		})
	}
}

func mustParse(t *testing.T, local string) time.Time {
	t.Helper()
	at, err := time.Parse(clockForm, local)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestImportedEventWithSignUps: an import that is undone keeps an event for which people have signed up
// since, also where the file had others on its sheet.
func TestImportedEventWithSignUps(t *testing.T) {
	t.Parallel()
	from, to := start(t, "UTC"), start(t, "UTC")
	id := from.camp(t, fmt.Sprintf(noQuestions, 0, false))
	other := from.camp(t, fmt.Sprintf(noQuestions, 0, false))
	from.guest(t, id, "Anna", 201)
	from.guest(t, other, "Anna", 201)
	all := from.get(t, "/export")
	if o, _ := to.send(t, "format=json", all); o.Events != 2 {
		t.Fatalf("import: %+v, want two events", o)
	}
	to.guest(t, id, "Ben", 201)
	var past struct{ Imports []struct{ ID string } }
	to.office.Do("GET", "/imports", nil).JSON(&past)
	if got := to.office.Do("DELETE", "/imports/"+past.Imports[0].ID, nil); got.Status != 200 {
		t.Fatalf("undo: %s", got)
	}
	to.assertPeople(t, id, "Anna Ben")
	if got := to.office.Do("GET", "/events/"+other, nil); got.Status != 404 {
		t.Errorf("the event for which nobody has signed up since: %s, want 404", got)
	}
}
