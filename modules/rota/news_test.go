package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// askedOf returns a volunteer with an address who was asked for the first service, and what they said.
func (f *fixture) askedOf(label, role, status string) (volunteer, assignment) {
	f.t.Helper()
	who := f.volunteer(label, role)
	one := f.assign("service-1", role, who)
	f.set(one.ID, status, 1)
	one.Status, one.Rev = status, 2
	return who, one
}

// assignment reads an assignment again.
func (f *fixture) assignment(one assignment) assignment {
	f.t.Helper()
	for _, a := range f.assigned() {
		if a.ID == one.ID {
			return a
		}
	}
	f.t.Fatalf("the assignment %s is not on the board", one.ID)
	return one
}

// replan makes a change in the module that plans services.
func (f *fixture) replan(change func()) {
	if f.revs == nil {
		f.revs = make(map[string]int64)
	}
	change()
	f.revs["service-1"]++
}

// heard returns the lines of the news that came to a volunteer, mail by mail.
func (f *fixture) heard(v volunteer) (mails []string) {
	f.t.Helper()
	f.awaitIdle()
	for _, mail := range f.Sent() {
		if mail.To[0].Address == v.Email && mail.Subject == "Something has changed" {
			var lines []string
			for line := range strings.Lines(mail.Text) {
				if text, is := strings.CutPrefix(strings.TrimSpace(line), "- "); is {
					lines = append(lines, text)
				}
			}
			mails = append(mails, strings.Join(lines, "|"))
		}
	}
	return mails
}

func (f *fixture) wantHeard(v volunteer, want ...string) {
	f.t.Helper()
	if got := f.heard(v); strings.Join(got, "\n") != strings.Join(want, "\n") {
		f.t.Errorf("%s heard\n%q, want\n%q", v.Label, got, want)
	}
}

// coordinates makes a volunteer who gets what coordinators are told.
func (f *fixture) coordinates(label string) (v volunteer) {
	f.t.Helper()
	draft := volunteerDraft{Label: label, Email: "office@example.org", Digest: true, RoleIDs: []string{}}
	f.do(f.office, "POST", "/volunteers", draft, 201).JSON(&v)
	return v
}

func (f *fixture) said(at time.Time) string { return english.moment(at.In(f.rota.zone())) }

// TestAMovedService: whoever said yes is asked again, everybody who was asked hears once, whatever the number
// of processes, and a service that is back again has its yes back.
func TestAMovedService(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	office := f.coordinates("Office")
	yes, one := f.askedOf("Reader 1", "Reader", statusYes)
	open, _ := f.askedOf("Reader 2", "Reader", statusOpen)
	no, _ := f.askedOf("Reader 3", "Reader", statusNo)
	second := newRota()
	second.clock = f.now
	if err := second.Start(t.Context(), f.rota.host); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Stop(t.Context()) })
	followed := func() {
		var all sync.WaitGroup
		for _, process := range []*rota{f.rota, second, f.rota, second} {
			all.Go(func() {
				if _, err := process.follow(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	followed()
	was := f.services[0].Start
	f.replan(func() { f.services[0].Start = was.AddDate(0, 0, 7) })
	followed()
	if got := f.assignment(one); got.Status != statusOpen || got.Was == nil || !got.Was.Equal(was) {
		t.Errorf("the yes is %+v after the move, want it open, and when they said yes", got)
	}
	line := "Morning service is on " + f.said(f.services[0].Start) + " now, not on " + f.said(was)
	f.wantHeard(yes, line+": Reader")
	f.wantHeard(open, line+": Reader")
	f.wantHeard(no)
	f.wantHeard(office, line+". Asked again: 2")
	if news := f.board().News; len(news) != 1 || news[0].Kind != newsMoved || news[0].People != 2 {
		t.Errorf("the board has the news %+v, want the move", news)
	}
	stale := map[string]state{"service-1": {service: service{"service-1", "Morning service", was}}}
	if err := f.rota.change(t.Context(), func(tx *sdk.Tx) (update, error) {
		return update{}, f.rota.noteState(t.Context(), tx, "service-1", stale)
	}); err != nil || f.assignment(one).Status != statusOpen {
		t.Errorf("after an older state: %+v, %v, want no change", f.assignment(one), err)
	}

	f.replan(func() { f.services[0].Start = was })
	followed()
	if got := f.assignment(one); got.Status != statusYes || got.Was != nil || got.ID != one.ID {
		t.Errorf("back at its time it is %+v, want the yes again", got)
	}
	f.wantHeard(yes, line+": Reader") // the next mail is due in an hour
	later := time.Now().Add(gather + time.Minute)
	f.at.Store(&later)
	if err := f.rota.resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := "Morning service is on " + f.said(was) + " now, not on " + f.said(was.AddDate(0, 0, 7))
	f.wantHeard(yes, line+": Reader", back+": Reader")
	f.do(f.office, "PUT", "/news/seen", fmt.Sprintf(`{"upTo":%d}`, f.board().News[0].ID), 204)
	if news := f.board().News; len(news) != 0 {
		t.Errorf("after they were seen the board has the news %+v, want none", news)
	}
}

// TestALongPastService: own duties do not read a service that is long past. If somebody moves it to a coming
// day all the same, the next look at the board asks again whoever said yes.
func TestALongPastService(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader, one := f.askedOf("Reader 1", "Reader", statusYes)
	member := f.member(reader)
	was := f.services[0].Start
	later := was.Add(followBack + time.Hour)
	settled := func() (settled bool) {
		t.Helper()
		if err := f.rota.keepFollowing(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := f.rota.db.QueryRow(t.Context(), `SELECT settled FROM assignments`).Scan(&settled)
		if err != nil {
			t.Fatal(err)
		}
		return settled
	}
	if settled() {
		t.Error("a coming service is settled")
	}
	f.at.Store(&later)
	if !settled() {
		t.Error("a service is not settled that is long past")
	}
	f.replan(func() { f.services[0].Start = later.AddDate(0, 0, 7) })
	if got := f.assignment(one); got.Status != statusOpen || got.Was == nil || !got.Was.Equal(was) {
		t.Errorf("the yes is %+v after the move, want it open, and when they said yes", got)
	}
	var mine myDates
	f.do(member, "GET", "/mine", nil, 200).JSON(&mine)
	if len(mine.Dates) != 1 || settled() {
		t.Errorf("own dates are %+v, want the service that was moved", mine.Dates)
	}
}

// TestACancelledService: everybody who was asked hears that it is cancelled. What is undone within the hour
// is not told.
func TestACancelledService(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	yes, _ := f.askedOf("Reader 1", "Reader", statusYes)
	if _, err := f.rota.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := f.services[0]
	cancel := func() { f.replan(func() { f.services = f.services[1:] }) }
	restore := func() { f.replan(func() { f.services = append([]service{first}, f.services...) }) }
	for _, change := range []func(){cancel, restore, cancel, restore} {
		change()
		if _, err := f.rota.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.awaitIdle()
	}
	gone := "Morning service on " + f.said(first.Start) + " is cancelled: Reader"
	f.wantHeard(yes, gone)
	cancel()
	if news := f.board().News; len(news) == 0 || news[0].Kind != newsCancelled {
		t.Errorf("whoever opens the board then sees the news %+v, want that it is cancelled", news)
	}
	restore()
	f.board()
	if got := f.assigned()[0]; got.Status != statusYes {
		t.Errorf("after the service is back it is %+v, want the yes", got)
	}
	later := time.Now().Add(gather + time.Minute)
	f.at.Store(&later)
	if err := f.rota.resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.wantHeard(yes, gone, "Morning service on "+f.said(first.Start)+" takes place after all: Reader")
}

// TestWhoCannotCome: a no after a yes, days away over an accepted date and a removal are told to those who
// did not do it: to coordinators, or to the volunteer.
func TestWhoCannotCome(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	office := f.coordinates("Office")
	day := f.services[0].Start.Format(time.DateOnly)
	at := f.said(f.services[0].Start) + ": Reader (Morning service). "
	away := fmt.Sprintf(`{"rev":2,"away":[{"from":%q,"to":%q}]}`, day, day)

	first, one := f.askedOf("Reader 1", "Reader", statusYes)
	f.do(f.member(first), "POST", "/mine/"+one.ID+"/answer", reply{statusNo, 2}, 200)
	f.wantHeard(first)
	f.wantHeard(office, at+"Reader 1 cannot come.")

	hour := time.Now()
	var told []string
	told = append(told, at+"Reader 1 cannot come.")
	next := func(want string) {
		t.Helper()
		hour = hour.Add(gather + time.Minute)
		f.at.Store(&hour)
		if err := f.rota.resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		told = append(told, want)
		f.wantHeard(office, told...)
	}
	second, _ := f.askedOf("Reader 2", "Reader", statusYes)
	f.do(f.member(second), "PUT", "/mine/away", away, 200)
	f.wantHeard(second)
	next(at + "Reader 2 said yes to it, and is away on that day.")

	third, _ := f.askedOf("Reader 3", "Reader", statusYes)
	f.do(f.office, "PUT", "/volunteers/"+third.ID+"/away",
		strings.Replace(away, `"rev":2`, `"rev":1`, 1), 200)
	f.wantHeard(third, at+"You said yes to it, and are away on that day.")
	next(at + "Reader 3 said yes to it, and is away on that day.")

	fourth, two := f.askedOf("Reader 4", "Reader", statusYes)
	f.do(f.office, "PUT", "/assignments", fmt.Sprintf(`{"remove":[{"id":%q,"rev":2}]}`, two.ID), 200)
	f.wantHeard(fourth, at+"You are no longer planned for it.")
	next(at + "Reader 4 is no longer planned for it.")

	fifth, _ := f.askedOf("Reader 5", "Reader", statusOpen)
	f.do(f.office, "DELETE", "/volunteers/"+fifth.ID, nil, 204)
	f.wantHeard(fifth, at+"You are no longer planned for it.")
	next(at + "Reader 5 is no longer planned for it.")
	var addresses int
	if err := f.rota.db.QueryRow(t.Context(), `SELECT count(*) FROM told WHERE email <> ''`).
		Scan(&addresses); err != nil || addresses != 0 {
		t.Errorf("after the mails %d addresses are kept, %v, want none", addresses, err)
	}
	kinds := ""
	for _, n := range f.board().News {
		kinds += n.Kind + " " + n.Name + ", "
	}
	want := "removed Reader 5, removed Reader 4, away Reader 3, away Reader 2, declined Reader 1, "
	if kinds != want {
		t.Errorf("the board has the news %q, want %q", kinds, want)
	}
	sixth, three := f.askedOf("Reader 6", "Reader", statusPlanned)
	f.do(f.office, "PUT", "/assignments", fmt.Sprintf(`{"remove":[{"id":%q,"rev":2}]}`, three.ID), 200)
	f.wantHeard(sixth) // was never asked
}

// TestNewsThatAreUndone: who says no by the link of a mail is not told of it, and a no that is taken back is
// no news any more, on an open board either.
func TestNewsThatAreUndone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	office := f.coordinates("Office")
	anna, one := f.askedOf("Anna", "Reader", statusYes)
	says := func(said string, rev int64) {
		t.Helper()
		f.do(f.Link(anna.ID), "POST", "/link/"+one.ID+"/answer", reply{said, rev}, 200)
	}
	says(statusNo, 2)
	f.wantHeard(anna)
	f.wantHeard(office, f.said(f.services[0].Start)+": Reader (Morning service). Anna cannot come.")
	if news := f.board().News; len(news) != 1 || news[0].Kind != newsDeclined {
		t.Errorf("the board has the news %+v, want the no", news)
	}
	follower := f.office.Subscribe(boardChannel)
	says(statusOpen, 3)
	if news, last := f.board().News, follower.Update(); len(news) != 0 || !strings.Contains(last, `"news":[]`) {
		t.Errorf("after it was taken back the board has %+v and the update is %s, want no news", news, last)
	}
}

// TestNewsThatReachNobody: the board, and the mail to coordinators, name whom no mail tells, because they
// have no address or it was refused. Whoever is about to move the service reads how many have none.
func TestNewsThatReachNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	office := f.coordinates("Office")
	var ruth volunteer
	f.do(f.office, "POST", "/volunteers", volunteerDraft{Label: "Ruth", RoleIDs: []string{f.roles["Reader"]}},
		201).JSON(&ruth)
	f.set(f.assign("service-1", "Reader", ruth).ID, statusYes, 1)
	ben, _ := f.askedOf("Ben", "Welcome", statusYes)
	f.askedOf("Anna", "Welcome", statusNo)
	if _, err := f.rota.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := f.do(f.office, "GET", "/services/service-1/asked", nil, 200).Body
	if want := `{"yes":2,"open":0,"noAddress":1}`; strings.TrimSpace(asked) != want {
		t.Errorf("asked for it: %s, want %s", asked, want)
	}
	was := f.services[0].Start
	f.replan(func() { f.services[0].Start = was.AddDate(0, 0, 7) })
	f.FailMail(sdk.MailRejected, sdk.MailRejected)
	unreached := func(want string) {
		t.Helper()
		if _, err := f.rota.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.awaitIdle()
		if news := f.board().News; len(news) == 0 || strings.Join(news[0].Unreached, ", ") != want {
			t.Errorf("the board has the news %+v, want those who were not told: %s", news, want)
		}
	}
	unreached("Ben, Ruth")
	f.wantHeard(ben)
	hour := time.Now().Add(gather + time.Minute)
	f.at.Store(&hour)
	f.replan(func() { f.services[0].Start = was })
	unreached("Ruth")
	line := "Morning service is on " + f.said(was) + " now, not on " + f.said(was.AddDate(0, 0, 7))
	f.wantHeard(ben, line+": Welcome")
	f.wantHeard(office, line+". Asked again: 2. Not told by mail: Ruth")
}

// TestNewsThatWereNotSent: news that the mail server did not take, and those of a process that died with
// them, are sent again by themselves, for a day. The address of a removed volunteer is kept until then.
func TestNewsThatWereNotSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	yes, one := f.askedOf("Reader 1", "Reader", statusYes)
	removed, _ := f.askedOf("Reader 2", "Reader", statusYes)
	if _, err := f.rota.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := f.said(f.services[0].Start) + ": Reader (Morning service). "
	gone := at + "You are no longer planned for it."
	resumed := func(change string) {
		t.Helper()
		if _, err := f.rota.db.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		if err := f.rota.resume(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	addresses := func(want int) {
		t.Helper()
		var n int
		err := f.rota.db.QueryRow(t.Context(), `SELECT count(*) FROM told WHERE email <> ''`).Scan(&n)
		if err != nil || n != want {
			t.Errorf("%d addresses of removed people are kept, %v, want %d", n, err, want)
		}
	}
	const early, late = `UPDATE mail_log SET at = at - interval '9 minutes'`,
		`UPDATE mail_log SET at = at - interval '2 minutes'`

	f.FailMail(sdk.MailDeferred)
	f.do(f.office, "DELETE", "/volunteers/"+removed.ID, nil, 204)
	f.wantHeard(removed)
	resumed(early)
	f.wantHeard(removed)
	addresses(1)
	f.FailMail(sdk.MailTimeout)
	resumed(late)
	f.wantHeard(removed)
	addresses(1)
	resumed(early)
	resumed(late)
	f.wantHeard(removed, gone)
	addresses(0)
	resumed(early)
	resumed(late)
	f.wantHeard(removed, gone)

	f.FailMail(sdk.MailConnectionFailed)
	f.do(f.office, "PUT", "/assignments", fmt.Sprintf(`{"remove":[{"id":%q,"rev":2}]}`, one.ID), 200)
	f.wantHeard(yes)
	resumed(`UPDATE mail_log SET outcome = NULL, at = NULL, claimed_at = now() - interval '3 minutes'
		WHERE outcome = 'tryAgain'`) // its process died
	f.wantHeard(yes, gone)

	third, _ := f.askedOf("Reader 3", "Reader", statusYes)
	f.FailMail(sdk.MailDeferred)
	f.do(f.office, "DELETE", "/volunteers/"+third.ID, nil, 204)
	f.wantHeard(third)
	later := time.Now().Add(retryFor + time.Hour)
	f.at.Store(&later)
	resumed(early)
	resumed(late)
	f.wantHeard(third)
	addresses(0)
}

// TestNewsForgetPeople: after an erasure no news name the person or wait for them, not even of a volunteer
// who was removed before.
func TestNewsForgetPeople(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	gone, _ := f.askedOf("Reader 1", "Reader", statusYes)
	erased, one := f.askedOf("Reader 2", "Reader", statusYes)
	first, second := f.member(gone), f.member(erased)
	f.do(second, "POST", "/mine/"+one.ID+"/answer", reply{statusNo, 2}, 200)
	var data struct {
		News []struct{ What, Title string }
	}
	if err := f.Export(second.ID, &data); err != nil || len(data.News) != 1 ||
		data.News[0].What != newsDeclined || data.News[0].Title != "Morning service" {
		t.Errorf("the export has the news %+v, %v, want the no", data.News, err)
	}
	f.do(f.office, "DELETE", "/volunteers/"+gone.ID, nil, 204)
	f.awaitIdle()
	for _, who := range []string{first.ID, second.ID} {
		if err := f.Erase(who); err != nil {
			t.Fatal(err)
		}
	}
	news := f.board().News
	for _, n := range news {
		if n.Name != "" {
			t.Errorf("the news %+v name an erased person", n)
		}
	}
	var left int
	err := f.rota.db.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM told WHERE volunteer_id IN ($1, $2)) +
		       (SELECT count(*) FROM news WHERE label <> '' OR user_id IS NOT NULL)`,
		gone.ID, erased.ID).Scan(&left)
	if len(news) != 2 || left != 0 || err != nil {
		t.Errorf("%d news and %d rows that name somebody, %v, want 2 and none", len(news), left, err)
	}
}
