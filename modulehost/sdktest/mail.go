package sdktest

import (
	"context"
	"io"
	"log"
	"net"
	stdmail "net/mail"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/services/environment"
)

// Sent returns the mails that the module has sent so far, as it passed them to Host.Mail. A mail is included
// when the module's call of Send returns.
func (m *Module) Sent() []sdk.Message {
	m.mailServer.mu.Lock()
	defer m.mailServer.mu.Unlock()
	return slices.Clone(m.mailServer.sent)
}

// FailMail sets the result of the module's next mail, and the further ones in order; after that mails are
// sent again. Sent does not include a mail that failed. A mail that breaks the rules of sdk.Message gets
// MailMessageInvalid as usual and uses up no outcome.
func (m *Module) FailMail(outcomes ...sdk.SendResult) {
	m.mailServer.mu.Lock()
	defer m.mailServer.mu.Unlock()
	for _, outcome := range outcomes {
		m.mailServer.failures = append(m.mailServer.failures, mail.SendResult(outcome))
	}
}

// mailServer sends mails with the platform's code, to a server of the test that accepts all of them. A
// manifest does not declare that its module sends mails, so the server starts with the first mail.
type mailServer struct {
	tb     testing.TB
	server *smtp.Server
	served sync.WaitGroup

	mu        sync.Mutex
	listener  net.Listener    // nil before the first mail
	transport *mail.Transport // set together with listener
	failures  []mail.SendResult
	sent      []sdk.Message
}

func newMailServer(tb testing.TB) *mailServer {
	p := &mailServer{tb: tb}
	p.server = smtp.NewServer(smtp.BackendFunc(
		func(*smtp.Conn) (smtp.Session, error) { return smtpSession{}, nil }))
	p.server.ErrorLog = log.New(io.Discard, "", 0)
	tb.Cleanup(p.close)
	return p
}

func (p *mailServer) open() (*mail.Transport, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transport != nil {
		return p.transport, nil
	}
	var err error
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	p.served.Go(func() { _ = p.server.Serve(p.listener) })
	p.transport, err = mail.New(environment.Mail{
		Host:      "127.0.0.1",
		Port:      uint16(p.listener.Addr().(*net.TCPAddr).Port),
		Security:  environment.PlaintextMail,
		From:      "Narthex <narthex@example.org>",
		HelloName: "localhost",
	})
	return p.transport, err
}

func (p *mailServer) close() {
	_ = p.server.Close()
	if p.listener != nil {
		_ = p.listener.Close() // if Serve has not begun, closing the server leaves the listener open
	}
	p.served.Wait()
}

// Send validates and sends the message, and only then replaces SENT by the outcome that the test has set. So
// an invalid message is reported first, as by the platform.
func (p *mailServer) Send(ctx context.Context, message mail.Message) mail.SendResult {
	transport, err := p.open()
	if err != nil {
		p.tb.Error("sdktest: ", err)
		return mail.ConnectionFailed
	}
	outcome := transport.Send(ctx, message)
	if outcome != mail.Sent {
		return outcome
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.failures) > 0 {
		outcome, p.failures = p.failures[0], p.failures[1:]
	}
	if outcome == mail.Sent {
		p.sent = append(p.sent, messageOf(message))
	}
	return outcome
}

// messageOf converts a message back to the SDK's type. It was sent, so its addresses are valid.
func messageOf(message mail.Message) sdk.Message {
	given := sdk.Message{Subject: message.Subject, Text: message.Text, HTML: message.HTML,
		Language: message.Language}
	for _, to := range message.To {
		if address, err := stdmail.ParseAddress(to); err == nil {
			given.To = append(given.To, *address)
		}
	}
	given.ReplyTo, _ = stdmail.ParseAddress(message.ReplyTo) // nil if there is none
	return given
}

// smtpSession is one connection to the server.
type smtpSession struct{}

func (smtpSession) Mail(string, *smtp.MailOptions) error { return nil }
func (smtpSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (smtpSession) Reset()                               {}
func (smtpSession) Logout() error                        { return nil }
func (smtpSession) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
