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

	"github.com/narthex-platform/narthex/services/environment"
)

// session is one attempt. It walks the library's protocol step by step, so that each failure has its step's outcome.
type session struct {
	*Transport
	parcel parcel
	line   *line
	conn   net.Conn     // line, or TLS on it from the first byte
	client *smtp.Client // nil before the greeting
}

// deliver makes the attempt. ctx has the deadline for all of it.
func (t *Transport) deliver(ctx context.Context, p parcel) SendResult {
	raw, err := t.connect(ctx)
	if err != nil {
		return outcomeOf(ctx, err, ConnectionFailed)
	}
	defer raw.Close() // the library leaves it open after some errors
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	l := &line{Conn: raw, socket: t.limits.socket, unread: t.limits.unread}
	s := &session{Transport: t, parcel: p, line: l, conn: l}
	outcome := s.walk(ctx)
	s.quit() // not deferred: after a panic the library may still hold its lock
	return outcome
}

// walk takes the steps until one fails.
func (s *session) walk(ctx context.Context) SendResult {
	for _, step := range []struct {
		do      func() error
		refused SendResult
	}{
		{s.encrypt, TLSFailed},
		{s.greet, Rejected},
		{s.upgrade, TLSFailed},
		{s.authenticate, AuthenticationFailed},
		{s.handOver, Rejected},
	} {
		if err := step.do(); err != nil {
			return outcomeOf(ctx, err, step.refused)
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

// encrypt speaks TLS before anything else, where the mode is that.
func (s *session) encrypt() error {
	s.line.within(s.limits.greeting)
	if s.settings.Security != environment.ImplicitTLS {
		return nil
	}
	conn := tls.Client(s.line, s.tlsConfig())
	s.conn = conn
	return refusal(conn.Handshake())
}

func (s *session) greet() error {
	client, err := smtp.NewClient(s.conn, s.settings.Host)
	if err != nil {
		return err
	}
	s.client = client
	s.line.within(0)
	client.SkipSMTPUTF8(true) // no address needs it
	return client.Hello(s.hello)
}

// upgrade demands STARTTLS, where the mode is that. What the server said before is forgotten: it is asked again under TLS.
func (s *session) upgrade() error {
	if s.settings.Security != environment.StartTLS {
		return nil
	}
	if offered, _ := s.client.Extension("STARTTLS"); !offered {
		return errRefused
	}
	return refusal(s.client.StartTLS(s.tlsConfig()))
}

// authenticate signs in, where there is a user. Only mechanisms that send the password are spoken: they are what every server has, and
// under TLS the others add nothing. Without TLS the library sends it to this machine alone (ErrUnencrypted).
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
		return refusal(err)
	}
	return err
}

// handOver is the transaction. A recipient that is refused ends it before the message: all get it or none.
func (s *session) handOver() error {
	if err := s.client.Mail("<" + s.from.mailbox + ">"); err != nil {
		return err
	}
	for _, to := range s.parcel.to {
		if err := s.client.Rcpt("<" + to.mailbox + ">"); err != nil {
			return err
		}
	}
	data, err := s.client.Data()
	if err != nil {
		return err
	}
	if _, err := data.Write(s.parcel.content); err != nil {
		return err
	}
	return data.Close()
}

// quit says good-bye; how that ends changes nothing.
func (s *session) quit() {
	if s.client != nil {
		s.line.within(s.limits.quit)
		_ = s.client.Quit()
	}
}

// refusal marks any error as the step's own failure; outcomeOf still finds a time-out beneath.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errRefused, err)
}
