package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/services/waittest"
)

// TestRemindersOnce: two processes with one database look for reminders and send them at the same time, and
// each is sent once.
func TestRemindersOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const people = 10
	for n := range people {
		one := f.assign("service-1", "Reader", f.volunteer(fmt.Sprint("Reader ", n+1), "Reader"))
		f.set(one.ID, statusYes, 1)
	}
	// A second instance of the module on the same database stands for a second process.
	processes := []*rota{f.rota, newRota()}
	processes[1].clock = f.now
	if err := processes[1].Start(t.Context(), f.rota.host); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = processes[1].Stop(t.Context()) })
	for _, moment := range []struct {
		at   time.Time
		sent int
	}{
		{f.services[0].Start.AddDate(0, 0, -4), 0},               // too early
		{f.services[0].Start.AddDate(0, 0, -3), people},          // three days before
		{f.services[0].Start.AddDate(0, 0, -2), people},          // no repetition
		{f.services[0].Start.Add(-time.Hour), 2 * people},        // on the day
		{f.services[0].Start.Add(-30 * time.Minute), 2 * people}, // no repetition
		{f.services[0].Start.Add(time.Minute), 2 * people},       // the service has begun
	} {
		f.at.Store(&moment.at)
		var all sync.WaitGroup
		for _, process := range processes {
			all.Go(func() {
				if err := process.remind(t.Context()); err != nil {
					t.Error(err)
				}
				process.deliver(t.Context())
			})
		}
		all.Wait()
		f.awaitIdle()
		if sent := len(f.Sent()); sent != moment.sent {
			t.Fatalf("at %s %d reminders were sent, want %d", moment.at, sent, moment.sent)
		}
	}
}

// awaitIdle waits until no mail waits or is being sent.
func (f *fixture) awaitIdle() {
	f.t.Helper()
	waittest.Until(f.t, "the outbox is empty", func() bool {
		var waiting int
		err := f.rota.db.QueryRow(f.t.Context(), `
			SELECT count(*) FROM mail_log WHERE outcome IS NULL`).Scan(&waiting)
		return err == nil && waiting == 0
	})
}

// TestLostMail: a process that dies between the claim and the attempt loses the mail. The coordinator sees
// that and can send it again.
func TestLostMail(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	one := f.assign("service-1", "Reader", f.volunteer("Reader 1", "Reader"))
	if _, err := f.rota.db.Exec(t.Context(), `
		WITH lost AS (
			INSERT INTO mail_log (kind, claimed_at) VALUES ('request', now() - interval '3 minutes') RETURNING id)
		UPDATE assignments SET status = 'open', mail_id = lost.id FROM lost`); err != nil {
		t.Fatal(err)
	}
	if err := f.Advance(2 * time.Minute); err != nil {
		t.Fatal(err)
	}
	f.awaitIdle()
	if mail := f.assigned()[0].Mail; mail.Outcome != outcomeTryAgain || len(f.Sent()) != 0 {
		t.Fatalf("after the loss: %+v and %d mails, want it to be tried again by hand", mail, len(f.Sent()))
	}
	f.do(f.office, "POST", "/mail/send", order{kindRequest, []string{one.ID}}, 202)
	f.awaitIdle()
	if mail := f.assigned()[0].Mail; mail.Outcome != outcomeSent || len(f.Sent()) != 1 {
		t.Errorf("after sending again: %+v and %d mails, want it sent once", mail, len(f.Sent()))
	}
}

// TestOutcomes: each result of an attempt has its outcome, for requests, invitations and test mails.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	one := f.assign("service-1", "Reader", reader)
	for result, want := range map[sdk.SendResult]string{
		sdk.MailSent:             outcomeSent,
		sdk.MailNotConfigured:    outcomeNotSetUp,
		sdk.MailRejected:         outcomeRefused,
		sdk.MailDeferred:         outcomeDeferred,
		sdk.MailConnectionFailed: outcomeTryAgain,
		sdk.MailTimeout:          outcomeTryAgain,
	} {
		for _, wanted := range []order{{kindRequest, []string{one.ID}}, {kindInvitation, []string{reader.ID}}} {
			f.FailMail(result)
			f.do(f.office, "POST", "/mail/send", wanted, 202)
			f.awaitIdle()
			got := f.board().Volunteers[0].Mail
			if wanted.Kind == kindRequest {
				got = f.assigned()[0].Mail
			}
			if got == nil || got.Outcome != want || got.Kind != wanted.Kind {
				t.Errorf("a %s that ended with %s is %+v on the board, want %s", wanted.Kind, result, got, want)
			}
		}
		f.FailMail(result)
		if got := f.office.Do("POST", "/mail/test", nil); got.String() !=
			`200 {"outcome":"`+want+`","to":"office@example.org"}` {
			t.Errorf("a test that ended with %s: %s, want %s", result, got, want)
		}
	}
	f.refused(f.Person(), "POST", "/mail/test", nil, 403, "PERMISSION_DENIED")
	f.refused(f.office, "POST", "/mail/send", `{"kind":"digest","ids":["`+one.ID+`"]}`, 400, "REQUEST_INVALID")
	f.refused(f.office, "POST", "/mail/send", order{kindRequest, []string{reader.ID}}, 404, "NOT_FOUND")
	f.set(one.ID, statusNo, 2)
	f.refused(f.office, "POST", "/mail/send", order{kindRequest, []string{one.ID}}, 409, "CONFLICT")
}

func inZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestMailsHoldOnlyWords: no text that a person typed gets into a header or becomes HTML, in either language.
// Times are those of the house, also after a change of its zone.
func TestMailsHoldOnlyWords(t *testing.T) {
	t.Parallel()
	for language, subject := range map[string]string{"en": "Can you help?", "de": "Können Sie helfen?"} {
		f := newFixture(t, map[string]any{"teamName": `<b>Team</b>`, "mailLanguage": language})
		f.SetTimeZone("Pacific/Apia")
		when := english.moment(f.services[0].Start.In(inZone(t, "Pacific/Apia")))
		if language == "de" {
			when = german.moment(f.services[0].Start.In(inZone(t, "Pacific/Apia")))
		}
		f.services[0].Title = "<script>alert(1)</script>\r\nBcc: eve@example.com"
		reader := f.volunteer(`<img src=x> "Reader"`, "Reader")
		one := f.assign("service-1", "Reader", reader)
		two := f.assign("service-2", "Welcome", reader)
		f.do(f.office, "POST", "/mail/send", order{kindRequest, []string{two.ID, one.ID}}, 202)
		f.awaitIdle()
		sent := f.Sent()
		if len(sent) != 1 {
			t.Fatalf("%d mails about two dates of one volunteer, want 1", len(sent))
		}
		mail := sent[0]
		if mail.Subject != subject || len(mail.To) != 1 || mail.To[0].Address != reader.Email ||
			mail.To[0].Name != "" || mail.ReplyTo == nil || mail.ReplyTo.Address != "office@example.org" {
			t.Errorf("the header is %q %v %v, want fixed words and the volunteer's address", mail.Subject, mail.To,
				mail.ReplyTo)
		}
		for _, markup := range []string{"<script", "<img", "<b>"} {
			if strings.Contains(mail.HTML, markup) {
				t.Errorf("the HTML has %s: %s", markup, mail.HTML)
			}
		}
		if !strings.Contains(mail.Text, when) {
			t.Errorf("the text is %q, want %q, which is the time in the house", mail.Text, when)
		}
		if strings.Contains(mail.Text, "\r") || strings.Contains(mail.Text, "\nBcc") ||
			!strings.Contains(mail.Text, f.Links()[0].Address) ||
			!strings.Contains(mail.Text, "Reader (<script>") {
			t.Errorf("the text is %q, want one line a date and a link", mail.Text)
		}
	}
}

// TestDigest: on the first day of each week up to five coordinators get one mail together.
func TestDigest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	f.assign("service-1", "Reader", reader)
	body := `{"label":"Coordinator %d","email":"c%d@example.org","language":"","digest":true,"roleIds":[]}`
	for n := range maxDigest {
		f.do(f.office, "POST", "/volunteers", fmt.Sprintf(body, n, n), 201)
	}
	f.refused(f.office, "POST", "/volunteers", fmt.Sprintf(body, 9, 9), 409, "DIGEST_FULL")
	monday := f.rota.weekOf(f.services[0].Start)
	for _, moment := range []struct {
		at   time.Time
		sent int
	}{{monday.Add(7 * time.Hour), 0}, {monday.Add(9 * time.Hour), 1}, {monday.Add(20 * time.Hour), 1},
		{monday.Add(40 * time.Hour), 1}} {
		f.at.Store(&moment.at)
		if _, err := f.rota.queueDigest(t.Context(), moment.at); err != nil {
			t.Fatal(err)
		}
		f.rota.outbox.Wake()
		f.awaitIdle()
		if sent := f.Sent(); len(sent) != moment.sent || len(sent) == 1 && (len(sent[0].To) != maxDigest ||
			!strings.Contains(sent[0].Text, "Reader: Reader 1 (not asked yet)") ||
			!strings.Contains(sent[0].Text, "Welcome: nobody")) {
			t.Errorf("at %s: %+v, want %d mails to %d", moment.at, sent, moment.sent, maxDigest)
		}
	}
}
