package sdktest_test

import (
	"net/mail"
	"reflect"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestSent: Sent returns a mail as the module passed it.
func TestSent(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	message := sdk.Message{
		To:      []mail.Address{{Name: `Müller, "Jo"`, Address: "jo@example.org"}, {Address: "ruth@example.org"}},
		Subject: "Grüße aus dem Büro",
		Text:    "two\nlines\n",
		HTML:    "<p>two<br>lines</p>",
		ReplyTo: &mail.Address{Name: "Büro", Address: "office@example.org"},
	}
	plain := sdk.Message{To: message.To[1:], Subject: "Plain", Text: "."}
	for _, given := range []sdk.Message{message, plain} {
		if outcome, err := module.host.Mail.Send(t.Context(), given); outcome != sdk.MailSent || err != nil {
			t.Errorf("Send: outcome %v, want %v; error %v, want none", outcome, sdk.MailSent, err)
		}
	}
	if sent := m.Sent(); !reflect.DeepEqual(sent, []sdk.Message{message, plain}) {
		t.Errorf("Sent: sent %v, want %v", sent, []sdk.Message{message, plain})
	}
}

// TestFailMail: each outcome applies to one mail. An invalid mail is still reported as invalid.
func TestFailMail(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	send := func(subject string, want sdk.SendResult) {
		t.Helper()
		outcome, err := module.host.Mail.Send(t.Context(), sdk.Message{To: office, Subject: subject, Text: "."})
		if outcome != want || err != nil {
			t.Errorf("%s, want %s; %v", outcome, want, err)
		}
	}
	failures := []sdk.SendResult{
		sdk.MailNotConfigured, sdk.MailMessageInvalid, sdk.MailConnectionFailed, sdk.MailTLSFailed,
		sdk.MailAuthenticationFailed,
		sdk.MailRejected, sdk.MailDeferred, sdk.MailTimeout,
	}
	for _, failure := range failures {
		m.FailMail(failure)
		send("Failing", failure)
	}
	m.FailMail(sdk.MailSent, sdk.MailTimeout)
	send("two\nlines", sdk.MailMessageInvalid)
	send("First", sdk.MailSent)
	send("Second", sdk.MailTimeout)
	send("Third", sdk.MailSent)
	if sent := m.Sent(); len(sent) != 2 || sent[0].Subject != "First" || sent[1].Subject != "Third" {
		t.Errorf("Sent: number of sent %v, want %v; want sent[0].Subject to be %v; want sent[1].Subject to be %v",
			len(sent), 2, "First", "Third")
	}
}

// TestMailLimits: the rules for messages and the limit of 30 a minute apply.
func TestMailLimits(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	const most = 30
	for n := range most {
		message := sdk.Message{To: office, Subject: "s", Text: "t"}
		switch n {
		case 0:
			message.To = nil
		case 1:
			message.Text = strings.Repeat("x", 256<<10+1)
		case 2:
			message.To = []mail.Address{{Address: "nobody"}}
		}
		want := sdk.MailSent
		if n < 3 {
			want = sdk.MailMessageInvalid
		}
		if outcome, err := module.host.Mail.Send(t.Context(), message); outcome != want || err != nil {
			t.Errorf("Send: outcome %v, want %v; error %v, want none; n %v", outcome, want, err, n)
		}
	}
	if outcome, err := module.host.Mail.Send(t.Context(),
		sdk.Message{To: office, Subject: "s", Text: "t"}); err != sdk.ErrTooManyMails {
		t.Errorf("Send: error %v, want %v; outcome %v", err, sdk.ErrTooManyMails, outcome)
	}
	if sent := len(m.Sent()); sent != most-3 {
		t.Error(sent)
	}
}
