package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// linked returns what the link of a volunteer shows.
func (f *fixture) linked(v volunteer) (page linkedDates) {
	f.t.Helper()
	f.do(f.Link(v.ID), "GET", "/link", nil, 200).JSON(&page)
	return page
}

// TestLink: whoever has the link of a mail answers without an account, takes the answer back, and sees on the
// next visit what was said. Reading changes nothing, and nobody reaches the dates of others.
func TestLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Welcome")
	one, other := f.assign("service-1", "Reader", anna), f.assign("service-1", "Welcome", ben)
	f.do(f.office, "POST", "/mail/send", order{kindRequest, []string{one.ID, other.ID}}, 202)
	f.awaitIdle()
	made := f.Links()
	if len(made) != 2 || made[0].Subject != anna.ID ||
		!made[0].Ends.Equal(f.services[0].Start.Add(answerFor).Truncate(time.Second)) {
		t.Fatalf("the links are %+v, want one for each volunteer, until 30 days after the service", made)
	}
	if text := f.Sent()[0].Text; !strings.Contains(text, made[0].Address) {
		t.Errorf("the mail is %q, want the address of the link", text)
	}
	page := f.linked(anna)
	if len(page.Dates) != 1 || page.Dates[0].Status != statusOpen || page.Connected ||
		string(page.Dates[0].Others) != `[{"role":"Welcome","name":"Ben"}]` {
		t.Fatalf("the page is %+v, want one open date beside Ben", page.myDates)
	}
	rev := page.Dates[0].Rev
	if again := f.linked(anna); again.Dates[0].Rev != rev {
		t.Errorf("the rev is %d after a second look, want %d", again.Dates[0].Rev, rev)
	}
	path := "/link/" + one.ID
	for _, said := range []string{statusYes, statusOpen, statusNo} {
		f.do(f.Link(anna.ID), "POST", path+"/answer", fmt.Sprintf(`{"answer":%q,"rev":%d}`, said, rev), 200)
		page := f.linked(anna)
		if page.Dates[0].Status != said {
			t.Errorf("after %s the page has %s", said, page.Dates[0].Status)
		}
		rev = page.Dates[0].Rev
	}
	f.refused(f.Link(ben.ID), "POST", path+"/answer", fmt.Sprintf(`{"answer":"yes","rev":%d}`, rev), 404,
		"NOT_FOUND")
	f.refused(f.Link(anna.ID), "POST", path+"/answer", `{"answer":"yes","rev":1}`, 409, "CONFLICT")
	f.refused(f.Link(one.ID), "GET", "/link", nil, 404, "NOT_FOUND")
	f.refused(f.member(anna), "POST", "/mine/"+one.ID+"/answer", fmt.Sprintf(`{"answer":"open","rev":%d}`, rev),
		400, "REQUEST_INVALID") // only a link takes back
	if page := f.linked(anna); !page.Connected {
		t.Error("Anna has an account now, and the page of her link does not say so")
	}
}

// TestLinkOfAPerson: the link of a volunteer who has an account is that person's, so that it does not work
// while they are deactivated. One that was made before becomes theirs.
func TestLinkOfAPerson(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Welcome")
	who := f.member(anna)
	one, other := f.assign("service-1", "Reader", anna), f.assign("service-1", "Welcome", ben)
	f.do(f.office, "POST", "/mail/send", order{kindRequest, []string{one.ID, other.ID}}, 202)
	f.awaitIdle()
	for _, made := range f.Links() {
		if want := map[string]string{anna.ID: who.ID}[made.Subject]; made.UserID != want {
			t.Errorf("the link %+v is one of %q, want %q", made, made.UserID, want)
		}
	}
	if len(f.Links()) != 2 {
		t.Errorf("%d links, want two", len(f.Links()))
	}
	stale, err := f.rota.recipient(t.Context(), &ben.ID)
	if err != nil {
		t.Fatal(err)
	}
	later := f.member(ben)
	for _, made := range f.Links() {
		if want := map[string]string{anna.ID: who.ID, ben.ID: later.ID}[made.Subject]; made.UserID != want {
			t.Errorf("after both claimed, the link %+v is one of %q, want %q", made, made.UserID, want)
		}
	}
	if _, err := f.rota.answerLink(t.Context(), stale, time.Now()); !errors.Is(err, errMoved) {
		t.Errorf("a mail that was begun before Ben claimed: %v, want %v", err, errMoved)
	}
}

// TestLinkSubstitute: by links alone somebody looks for a substitute, and another one accepts.
func TestLinkSubstitute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Reader")
	one := f.assign("service-1", "Reader", anna)
	f.set(one.ID, statusYes, 1)
	f.do(f.Link(anna.ID), "POST", "/link/"+one.ID+"/substitute", `{"rev":2}`, 200)
	if page := f.linked(anna); !page.Dates[0].Seeking {
		t.Errorf("the page is %+v, want a date for which a substitute is looked for", page.Dates)
	}
	if page := f.linked(ben); len(page.StandIns) != 1 || page.StandIns[0].Name != "Anna" {
		t.Fatalf("the page is %+v, want Anna's date", page.StandIns)
	}
	f.do(f.Link(ben.ID), "POST", "/link/"+one.ID+"/take", `{}`, 204)
	if page := f.linked(ben); len(page.Dates) != 1 || page.Dates[0].Status != statusYes {
		t.Errorf("the page is %+v, want the date that Ben has taken over", page.Dates)
	}
}

// TestLinkOfNews: who is asked again because a service was moved answers by the link of that mail, without an
// account. So do people who hear that it is cancelled see what they have left.
func TestLinkOfNews(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, one := f.askedOf("Anna", "Reader", statusYes)
	ben, _ := f.askedOf("Ben", "Welcome", statusYes)
	follow := func() {
		t.Helper()
		if _, err := f.rota.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.awaitIdle()
	}
	follow()
	later := f.services[0].Start.AddDate(0, 0, 7)
	f.replan(func() { f.services[0].Start = later })
	follow()
	made, text := f.Links(), f.Sent()[0].Text
	if len(made) != 2 || !made[0].Ends.Equal(later.Add(answerFor).Truncate(time.Second)) ||
		!strings.Contains(text, made[0].Address) || strings.Contains(text, "claim/") ||
		!strings.Contains(text, english.Request.button) {
		t.Fatalf("the links are %+v and a mail is %q, want a link to answer in it", made, text)
	}
	page := f.linked(anna)
	if len(page.Dates) != 1 || page.Dates[0].Was == nil || !page.Dates[0].Service.Start.Equal(later) {
		t.Fatalf("the page is %+v, want the moved date and when it was", page.Dates)
	}
	f.do(f.Link(anna.ID), "POST", "/link/"+one.ID+"/answer",
		fmt.Sprintf(`{"answer":"yes","rev":%d}`, page.Dates[0].Rev), 200)
	if got := f.assignment(one); got.Status != statusYes || got.Was != nil {
		t.Errorf("after the answer it is %+v, want a yes", got)
	}

	hour := time.Now().Add(gather + time.Minute)
	f.at.Store(&hour)
	f.replan(func() { f.services = f.services[1:] })
	follow()
	last := f.Sent()[len(f.Sent())-1]
	if !strings.Contains(last.Text, "is cancelled") || strings.Contains(last.Text, "claim/") ||
		!strings.Contains(last.Text, f.Links()[len(f.Links())-1].Address) {
		t.Errorf("the last mail is %q, want that it is cancelled, and a link", last.Text)
	}
	if page := f.linked(ben); len(page.Dates) != 0 {
		t.Errorf("the page is %+v, want no dates", page.Dates)
	}
}

// TestLinkEnds: a volunteer who has another address, who was withdrawn, removed or erased, or whose archive
// is read with another address has no link any more. A change of anything else, and a preview, leaves it.
func TestLinkEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(f *fixture, v volunteer){
		"another address": func(f *fixture, v volunteer) { v.Email = "new@example.org"; f.edit(v, `"perMonth":2`) },
		"withdrawn": func(f *fixture, v volunteer) {
			f.do(f.office, "DELETE", "/volunteers/"+v.ID+"/link", nil, 204)
		},
		"removed": func(f *fixture, v volunteer) { f.do(f.office, "DELETE", "/volunteers/"+v.ID, nil, 204) },
		"erased": func(f *fixture, v volunteer) {
			if err := f.Erase(f.member(v).ID); err != nil {
				t.Error(err)
			}
		},
		"archive": func(f *fixture, v volunteer) {
			all := f.do(f.office, "GET", "/export", nil, 200).Body
			moved := strings.ReplaceAll(all, v.Email, "moved@example.org")
			f.do(f.office, "POST", "/import?preview=1", moved, 200)
			if f.Links()[0].Revoked {
				t.Error("a preview ended the link")
			}
			f.do(f.office, "POST", "/import", moved, 200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, nil)
			anna := f.volunteer("Anna", "Reader")
			one := f.assign("service-1", "Reader", anna)
			f.do(f.office, "POST", "/mail/send", order{kindRequest, []string{one.ID}}, 202)
			f.awaitIdle()
			f.edit(anna, `"perMonth":2`)
			if made := f.Links(); len(made) != 1 || made[0].Revoked {
				t.Fatalf("the links are %+v, want one that works", made)
			}
			anna.Rev++
			end(f, anna)
			if !f.Links()[0].Revoked {
				t.Error("the link still works")
			}
		})
	}
}
