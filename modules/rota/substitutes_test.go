package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// accepted assigns a volunteer to the reader's place of service-1, and notes that they have accepted.
func (f *fixture) accepted(v volunteer) (path string, rev int64) {
	f.t.Helper()
	one := f.assign("service-1", "Reader", v)
	f.set(one.ID, statusYes, 1)
	return "/mine/" + one.ID, 2
}

func (f *fixture) standIns(who *sdktest.Caller) []standIn {
	f.t.Helper()
	var mine myDates
	f.do(who, "GET", "/mine", nil, 200).JSON(&mine)
	return mine.StandIns
}

// TestSubstitute: everybody who could take over a date is asked, by mail and on their page; of those who
// accept at once one has it, and the coordinator sees that.
func TestSubstitute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna := f.volunteer("Anna", "Reader")
	path, rev := f.accepted(anna)
	seeker := f.member(anna)
	var able []*sdktest.Caller
	for n := range 5 {
		able = append(able, f.member(f.volunteer(fmt.Sprint("Ben ", n+1), "Reader")))
	}
	day := f.services[0].Start.Format(time.DateOnly)
	dora, emil := f.volunteer("Dora", "Reader"), f.volunteer("Emil", "Welcome")
	away, unable := f.member(dora), f.member(emil)
	f.do(away, "PUT", "/mine/away", fmt.Sprintf(`{"rev":2,"away":[{"from":%q,"to":%q}]}`, day, day), 200)
	busy := f.volunteer("Fritz", "Reader", "Welcome")
	f.assign("service-1", "Welcome", busy)
	apart := f.volunteer("Gabi", "Reader")
	f.edit(apart, fmt.Sprintf(`"pairs":[{"id":%q,"apart":true}]`, busy.ID))

	f.refused(able[0], "POST", path+"/substitute", fmt.Sprintf(`{"rev":%d}`, rev), 404, "NOT_FOUND")
	f.refused(seeker, "POST", path+"/substitute", `{"rev":1}`, 409, "CONFLICT")
	f.refused(able[0], "POST", path+"/take", `{}`, 404, "NOT_FOUND")
	got := f.do(seeker, "POST", path+"/substitute", fmt.Sprintf(`{"rev":%d}`, rev), 200)
	if got.Body != `{"asked":5}` {
		t.Errorf("the answer is %s, want five who are asked", got)
	}
	f.awaitIdle()
	if sent := f.Sent(); len(sent) != 5 || sent[0].Subject != english.Substitute.subject ||
		strings.Contains(sent[0].Text, anna.Email) {
		t.Errorf("the mails are %+v, want five that ask, without Anna's address", sent)
	}
	for _, a := range f.assigned() {
		if a.VolunteerID == anna.ID && (!a.Seeking || a.Status != statusYes) {
			t.Errorf("the board has %+v, want Anna still expected, and that she looks for somebody", a)
		}
	}
	if all := f.standIns(able[0]); len(all) != 1 || all[0].Name != "Anna" || all[0].Role != "Reader" {
		t.Errorf("Ben 1 is asked for %+v, want Anna's date", all)
	}
	for _, who := range []*sdktest.Caller{away, unable, seeker} {
		if all := f.standIns(who); len(all) != 0 {
			t.Errorf("somebody who cannot is asked for %+v", all)
		}
		f.refused(who, "POST", path+"/take", `{}`, 404, "NOT_FOUND")
	}

	var all sync.WaitGroup
	answers := make([]string, len(able))
	for n, who := range able {
		all.Go(func() { answers[n] = who.Do("POST", path+"/take", `{}`).String() })
	}
	all.Wait()
	taken := 0
	for _, answer := range answers {
		if strings.HasPrefix(answer, "204") {
			taken++
		} else if answer != `409 {"code":"ALREADY_TAKEN"}` {
			t.Errorf("an answer is %s, want 204 or that somebody else was faster", answer)
		}
	}
	yes, no := 0, 0
	for _, a := range f.assigned() {
		if a.RoleID == f.roles["Reader"] && a.Status == statusYes {
			yes++
		}
		if a.VolunteerID == anna.ID && a.Status == statusNo && !a.Seeking {
			no++
		}
	}
	news := f.board().News
	if taken != 1 || yes != 1 || no != 1 || len(news) != 1 || news[0].Kind != newsReplaced {
		t.Errorf("%d have taken it, %d serve, %d cannot, the news are %+v; want one of each", taken, yes, no, news)
	}
}

// TestSubstituteTaken: what another process has stored decides.
func TestSubstituteTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna := f.volunteer("Anna", "Reader")
	path, rev := f.accepted(anna)
	one, other := f.member(f.volunteer("Ben", "Reader")), f.member(f.volunteer("Carl", "Reader"))
	f.do(f.member(anna), "POST", path+"/substitute", fmt.Sprintf(`{"rev":%d}`, rev), 200)
	// as another process, in which somebody was faster
	_, err := f.rota.db.Exec(t.Context(), `UPDATE assignments SET seeking = false, status = 'no'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []*sdktest.Caller{one, other} {
		f.refused(who, "POST", path+"/take", `{}`, 409, "ALREADY_TAKEN")
	}
	if all := f.assigned(); len(all) != 1 {
		t.Errorf("the assignments are %+v, want Anna's alone", all)
	}
}

// TestSubstituteEnds: who can come after all, whom a coordinator changes, and whose date is moved looks for
// nobody any more; who serves on that day by now cannot take it.
func TestSubstituteEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna := f.volunteer("Anna", "Reader")
	path, rev := f.accepted(anna)
	seeker := f.member(anna)
	f.refused(seeker, "POST", path+"/substitute", fmt.Sprintf(`{"rev":%d}`, rev), 409, "NOBODY_FREE")
	ben := f.volunteer("Ben", "Reader", "Welcome")
	member := f.member(ben)
	f.do(seeker, "POST", path+"/substitute", fmt.Sprintf(`{"rev":%d}`, rev), 200)
	f.do(seeker, "POST", path+"/answer", reply{"yes", rev + 1}, 200)
	f.refused(member, "POST", path+"/take", `{}`, 409, "ALREADY_TAKEN")
	if all := f.standIns(member); len(all) != 0 {
		t.Errorf("Ben is still asked for %+v", all)
	}
	f.do(seeker, "POST", path+"/substitute", fmt.Sprintf(`{"rev":%d}`, rev+2), 200)
	f.assign("service-1", "Welcome", ben)
	f.refused(member, "POST", path+"/take", `{}`, 409, "CONFLICT")
	for _, a := range f.assigned() {
		if a.VolunteerID == anna.ID && (a.Status != statusYes || !a.Seeking) {
			t.Errorf("Anna has %+v, want that she still looks for somebody", a)
		}
	}
}
