package e2e_test

import (
	"context"
	"errors"
	stdmail "net/mail"
	"reflect"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/services/environment"
)

// sender is a mail sender whose result the test chooses.
type sender func(ctx context.Context, m mail.Message) mail.SendResult

func (s sender) Send(ctx context.Context, m mail.Message) mail.SendResult { return s(ctx, m) }

func serveWithMail(t *testing.T, s mail.Sender) *sdk.Mail {
	t.Helper()
	m := &module{}
	serveWith(t, m, facade.Config{ModuleID: "keeper", Mail: s}).started()
	return m.host.Mail
}

var exampleMessage = sdk.Message{
	To:      []stdmail.Address{{Name: "Anna", Address: "anna@example.net"}, {Address: "ben@example.net"}},
	Subject: "Choir",
	Text:    "Thursday",
	HTML:    "<p>Thursday",
	ReplyTo: &stdmail.Address{Address: "choir@example.org"},
}

func TestMail(t *testing.T) {
	t.Parallel()
	var got mail.Message
	result := mail.Sent
	m := serveWithMail(t, sender(func(_ context.Context,
		message mail.Message) mail.SendResult {
		got = message
		return result
	}))
	if outcome, err := m.Send(t.Context(), exampleMessage); outcome != sdk.MailSent || err != nil {
		t.Fatalf("Send: outcome %v, want %v; error %v, want none", outcome, sdk.MailSent, err)
	}
	want := mail.Message{
		To:      []string{`"Anna" <anna@example.net>`, "<ben@example.net>"},
		Subject: "Choir", Text: "Thursday", HTML: "<p>Thursday", ReplyTo: "<choir@example.org>",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the host was sent %+v, want %+v", got, want)
	}
	for ours, theirs := range map[sdk.SendResult]mail.SendResult{
		sdk.MailNotConfigured: mail.NotConfigured, sdk.MailMessageInvalid: mail.MessageInvalid,
		sdk.MailConnectionFailed: mail.ConnectionFailed,
		sdk.MailTLSFailed:        mail.TLSFailed, sdk.MailAuthenticationFailed: mail.AuthenticationFailed,
		sdk.MailRejected: mail.Rejected, sdk.MailDeferred: mail.Deferred,
		sdk.MailTimeout: mail.Timeout,
	} {
		result = theirs
		if outcome, err := m.Send(t.Context(), exampleMessage); outcome != ours || err != nil {
			t.Errorf("Send: outcome %v, want %v; error %v, want none", outcome, ours, err)
		}
	}
}

func TestMailThatIsNotAttempted(t *testing.T) {
	t.Parallel()
	transport, err := mail.New(environment.Mail{Host: "127.0.0.1", Port: 1, From: "office@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	m := serveWithMail(t, transport)
	long, binary := exampleMessage, exampleMessage
	long.Text, binary.Subject = strings.Repeat("x", 2<<20), "\xff"
	for name, message := range map[string]sdk.Message{"longer than a call": long, "no UTF-8": binary,
		"nobody's": {Subject: "x", Text: "x"}} {
		if outcome, err := m.Send(t.Context(), message); outcome != sdk.MailMessageInvalid || err != nil {
			t.Errorf("%v: Send: outcome %v, want %v; error %v, want none",
				name, outcome, sdk.MailMessageInvalid, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if outcome, err := m.Send(gone, exampleMessage); outcome != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("Send: outcome %.200q, want %.200q; error %v, want %v",
			outcome, "", err, context.Canceled)
	}
	for err = nil; err == nil; {
		_, err = m.Send(t.Context(), sdk.Message{})
	}
	if !errors.Is(err, sdk.ErrTooManyMails) {
		t.Error(err)
	}
}
