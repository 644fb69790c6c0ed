package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail/smtp"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// session is one attempt to send. It calls the SMTP library step by step, so that a failure gets the result
// of its step.
type session struct {
	*Transport
	message rendered
	tcp     *boundedConn
	conn    net.Conn     // tcp, or implicit TLS on top of it
	client  *smtp.Client // nil until the greeting was read
}

// deliver makes the attempt. ctx has the deadline for the whole attempt.
func (t *Transport) deliver(ctx context.Context, r rendered) SendResult {
	return t.attempt(ctx, r, func(s *session) []step { return append(s.opening(), step{s.transfer, Rejected}) })
}

// attempt runs the steps on a new connection.
func (t *Transport) attempt(ctx context.Context, r rendered, steps func(*session) []step) SendResult {
	raw, err := t.connect(ctx)
	if err != nil {
		return resultOf(ctx, err, ConnectionFailed)
	}
	defer raw.Close() // the library leaves it open after some errors
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	tcp := &boundedConn{Conn: raw, socket: t.limits.socket, maxRead: t.limits.maxRead}
	s := &session{Transport: t, message: r, tcp: tcp, conn: tcp}
	result := s.run(ctx, steps(s))
	s.quit() // not deferred: after a panic the library may still hold its own lock
	return result
}

// step is a part of an attempt, and the result if the step itself fails.
type step struct {
	do      func() error
	refused SendResult
}

// opening returns the steps before a message.
func (s *session) opening() []step {
	return []step{
		{s.encrypt, TLSFailed},
		{s.greet, Rejected},
		{s.upgrade, TLSFailed},
		{s.authenticate, AuthenticationFailed},
	}
}

// run runs the steps in order until one fails.
func (s *session) run(ctx context.Context, steps []step) SendResult {
	for _, step := range steps {
		if err := step.do(); err != nil {
			return resultOf(ctx, err, step.refused)
		}
	}
	return Sent
}

func (t *Transport) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.limits.connect)
	defer cancel()
	return t.dial(ctx, "tcp", net.JoinHostPort(t.settings.Host, strconv.Itoa(int(t.settings.Port))))
}

func (t *Transport) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: t.settings.Host, MinVersion: tls.VersionTLS12, RootCAs: t.roots}
}

// encrypt starts implicit TLS, if that is configured.
func (s *session) encrypt() error {
	s.tcp.limitPhase(s.limits.greeting)
	if s.settings.Security != setting.ImplicitTLS {
		return nil
	}
	conn := tls.Client(s.tcp, s.tlsConfig())
	s.conn = conn
	return markRefused(conn.Handshake())
}

func (s *session) greet() error {
	client, err := smtp.NewClient(s.conn, s.settings.Host)
	if err != nil {
		return err
	}
	s.client = client
	s.tcp.limitPhase(0)
	client.SkipSMTPUTF8(true) // no address here needs it
	return client.Hello(s.hello)
}

// upgrade requires STARTTLS, if that is configured. The library then sends EHLO again, so that nothing from
// before TLS is trusted.
func (s *session) upgrade() error {
	if s.settings.Security != setting.StartTLS {
		return nil
	}
	if offered, _ := s.client.Extension("STARTTLS"); !offered {
		return errRefused
	}
	return markRefused(s.client.StartTLS(s.tlsConfig()))
}

// authenticate signs in, if a user is configured. Only PLAIN and LOGIN are supported: every server has one
// of them, and under TLS the other mechanisms add nothing. Without TLS the library sends a password to this
// machine only, and otherwise returns ErrUnencrypted.
func (s *session) authenticate() error {
	if s.settings.Username == "" {
		return nil
	}
	_, offered := s.client.Extension("AUTH")
	mechanisms := strings.Fields(strings.ToUpper(offered))
	user, password, host := s.settings.Username, s.settings.Password.Reveal(), s.settings.Host
	var auth smtp.Auth
	switch {
	case slices.Contains(mechanisms, "PLAIN"):
		auth = smtp.PlainAuth("", user, password, host, false)
	case slices.Contains(mechanisms, "LOGIN"):
		auth = smtp.LoginAuth(user, password, host, false)
	default:
		return errRefused
	}
	err := s.client.Auth(auth)
	if errors.Is(err, smtp.ErrUnencrypted) {
		return markRefused(err)
	}
	return err
}

// transfer runs the mail transaction. One refused recipient ends it before the message is sent, so that
// either all recipients get the message or none.
func (s *session) transfer() error {
	if err := s.client.Mail("<" + s.from.mailbox + ">"); err != nil {
		return err
	}
	for _, to := range s.message.to {
		if err := s.client.Rcpt("<" + to.mailbox + ">"); err != nil {
			return err
		}
	}
	data, err := s.client.Data()
	if err != nil {
		return err
	}
	if _, err := data.Write(s.message.content); err != nil {
		return err
	}
	return data.Close()
}

// quit sends QUIT. Its outcome does not change the result.
func (s *session) quit() {
	if s.client != nil {
		s.tcp.limitPhase(s.limits.quit)
		_ = s.client.Quit()
	}
}

// markRefused marks an error as the step's own failure. resultOf still recognizes a timeout inside it.
func markRefused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errRefused, err)
}
