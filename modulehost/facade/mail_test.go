package facade_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	stdmail "net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/environment"
)

// smtpInbox is a real mail server that refuses one recipient.
type smtpInbox struct{ messages chan string }

const refused = "refused@example.net"

func newInbox(t *testing.T) (*smtpInbox, environment.Mail) {
	t.Helper()
	in := &smtpInbox{messages: make(chan string, 100)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return in, nil }))
	server.ErrorLog = log.New(io.Discard, "", 0)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return in, environment.Mail{
		Host:     "127.0.0.1",
		Port:     uint16(listener.Addr().(*net.TCPAddr).Port),
		Security: environment.PlaintextMail,
		From:     "Church office <office@example.org>",
	}
}

func (in *smtpInbox) Reset()                               {}
func (in *smtpInbox) Logout() error                        { return nil }
func (in *smtpInbox) Mail(string, *smtp.MailOptions) error { return nil }

func (in *smtpInbox) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == refused {
		return &smtp.SMTPError{Code: 550, Message: "marked-server-text"}
	}
	return nil
}

func (in *smtpInbox) Data(r io.Reader) error {
	message, err := io.ReadAll(r)
	in.messages <- string(message)
	return err
}

func openWithMail(t *testing.T, sender mail.Sender) *module {
	t.Helper()
	return sessionOf(t, facade.New(facade.Config{ModuleID: "keeper", Mail: sender, Log: zap.NewNop()}))
}

func (m *module) send(t *testing.T, ctx context.Context, request *abi.SendMailRequest) (string, error) {
	t.Helper()
	response, err := askWith[abi.SendMailResponse](t, ctx, m, abi.Method_METHOD_SEND_MAIL, request)
	return response.GetOutcome(), err
}

func to(address, name string) *abi.SendMailRequest {
	return &abi.SendMailRequest{To: []*abi.MailAddress{{Address: address, Name: name}}, Subject: "Choir",
		Text: "Thursday"}
}

func TestMail(t *testing.T) {
	t.Parallel()
	in, settings := newInbox(t)
	transport, err := mail.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	m := openWithMail(t, transport)
	good := to("anna@example.net", `Anna "Ö", the Second`)
	good.ReplyTo = &abi.MailAddress{Address: "choir@example.org", Name: "Choir"}
	if outcome, err := m.send(t, t.Context(), good); outcome != "SENT" || err != nil {
		t.Fatalf("send: outcome %.200q, want %.200q; error %v, want none", outcome, "SENT", err)
	}
	message, err := stdmail.ReadMessage(strings.NewReader(<-in.messages))
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]stdmail.Address{
		"From":     {Name: "Church office", Address: "office@example.org"},
		"Reply-To": {Name: "Choir", Address: "choir@example.org"},
		"To":       {Name: `Anna "Ö", the Second`, Address: "anna@example.net"},
	} {
		if list, err := message.Header.AddressList(header); err != nil || len(list) != 1 || *list[0] != want {
			t.Errorf("AddressList: error %v, want none; number of list %v, want %v; want *list[0] to be %v; header %v",
				err, len(list), 1, want, header)
		}
	}
	for _, c := range []struct {
		name    string
		request *abi.SendMailRequest
		want    string
	}{
		{"the server refuses", to(refused, ""), "REJECTED"},
		{"nobody", &abi.SendMailRequest{Subject: "x", Text: "x"}, "MESSAGE_INVALID"},
		{"two in one address", to("a@example.net>, <b@example.net", ""), "MESSAGE_INVALID"},
		{"two in one, in turn", to("a@example.net, b@example.net", ""), "MESSAGE_INVALID"},
		{"a name in the address", to("Anna <anna@example.net>", ""), "MESSAGE_INVALID"},
		{"an address in the name", to("anna@example.net", "x> <b@example.net"), "SENT"}, // still only a name
		{"a line end in the name", to("anna@example.net", "Anna\r\nBcc: b@example.net"), "MESSAGE_INVALID"},
		{"a line end in the address", to("anna@example.net\r\nBcc: b@example.net", ""), "MESSAGE_INVALID"},
		{"an empty reply-to", func() *abi.SendMailRequest {
			r := to("anna@example.net",
				"")
			r.ReplyTo = &abi.MailAddress{}
			return r
		}(), "MESSAGE_INVALID"},
	} {
		if outcome, err := m.send(t, t.Context(), c.request); outcome != c.want || err != nil {
			t.Errorf("%v: send: outcome %v, want %v; error %v, want none", c.name, outcome, c.want, err)
		}
	}
	if n := len(in.messages); n != 1 {
		t.Errorf("%d messages arrived, want one", n)
	}
}

func TestMailWithoutAServer(t *testing.T) {
	t.Parallel()
	unconfigured, err := mail.New(environment.Mail{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sender := range []mail.Sender{nil, unconfigured} {
		if outcome, err := openWithMail(t, sender).send(t, t.Context(),
			to("anna@example.net", "")); outcome != "NOT_CONFIGURED" || err != nil {
			t.Errorf("send: outcome %.200q, want %.200q; error %v, want none",
				outcome, "NOT_CONFIGURED", err)
		}
	}
}

// sender is a mail sender whose result the test chooses.
type sender func(ctx context.Context) mail.SendResult

func (s sender) Send(ctx context.Context, _ mail.Message) mail.SendResult { return s(ctx) }

func TestMailMeasure(t *testing.T) {
	t.Parallel()
	var attempts atomic.Int32
	m := openWithMail(t, sender(func(context.Context) mail.SendResult { attempts.Add(1); return mail.Sent }))
	refusals := 0
	for range 40 {
		if outcome, err := m.send(t, t.Context(), to("anna@example.net", "")); errors.Is(err,
			facade.ErrTooManyMails) {
			refusals++
		} else if outcome != "SENT" || err != nil {
			t.Fatalf("send: outcome %s, want SENT; error %v, want none or %v", outcome, err,
				facade.ErrTooManyMails)
		}
	}
	if refusals != 10 || attempts.Load() != 30 {
		t.Errorf("%d refused, %d attempts; want 10 and 30", refusals, attempts.Load())
	}
}

func TestTwoMailsAtOnce(t *testing.T) {
	t.Parallel()
	began, finish := make(chan time.Time, 3), make(chan struct{})
	m := openWithMail(t, sender(func(ctx context.Context) mail.SendResult {
		end, _ := ctx.Deadline()
		began <- end
		select {
		case <-finish:
			return mail.Sent
		case <-ctx.Done():
			return mail.Timeout
		}
	}))
	outcomes := make(chan string, 2)
	for range 2 {
		go func() {
			outcome, _ := m.send(t, t.Context(), to("anna@example.net", ""))
			outcomes <- outcome
		}()
	}
	for range 2 {
		if left := time.Until(<-began); left <= 0 || left > 30*time.Second {
			t.Errorf("time.Until: left %v, want more than %v; left %v, want at most %v",
				left, 0, left, 30*time.Second)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if outcome, err := m.send(t, short, to("anna@example.net", "")); outcome != "TIMEOUT" || err != nil ||
		len(began) != 0 {
		t.Errorf("send: outcome %.200q, want %.200q; error %v, want none; number of began %v, want %v",
			outcome, "TIMEOUT", err, len(began), 0)
	}
	close(finish)
	for range 2 {
		if outcome := <-outcomes; outcome != "SENT" {
			t.Error(outcome)
		}
	}
	if outcome, err := m.send(t, t.Context(), to("anna@example.net", "")); outcome != "SENT" || err != nil {
		t.Errorf("send: outcome %.200q, want %.200q; error %v, want none", outcome, "SENT", err)
	}
}
