package mail_test

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	host     = "mail.example.org"
	patience = time.Minute // what must not be reached, on a slow machine either
)

// way leads from the configured server to the test's, and sees all that passes below TLS.
type way struct {
	to string

	mu     sync.Mutex
	asked  []string // addresses
	out    bytes.Buffer
	in     int // bytes
	opened int
	closed int
}

func (w *way) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.asked = append(w.asked, address)
	w.mu.Unlock()
	conn, err := new(net.Dialer).DialContext(ctx, network, w.to)
	if err != nil {
		return nil, err
	}
	_ = conn.(*net.TCPConn).SetWriteBuffer(4096)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened++
	return &seen{Conn: conn, way: w, close: sync.OnceValue(conn.Close)}, nil
}

// sent is all that left, as it was on the wire.
func (w *way) sent() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.out.Bytes())
}

// checkOnce fails unless there was one connection, to the configured place, and it is closed.
func (w *way) checkOnce(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asked) != 1 || w.asked[0] != host+":2525" || w.opened != 1 || w.closed != 1 {
		t.Errorf("asked for %q, %d opened, %d closed", w.asked, w.opened, w.closed)
	}
}

type seen struct {
	net.Conn
	way   *way
	close func() error
}

func (s *seen) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.way.mu.Lock()
	defer s.way.mu.Unlock()
	s.way.in += n
	return n, err
}

func (s *seen) Write(p []byte) (int, error) {
	s.way.mu.Lock()
	s.way.out.Write(p)
	s.way.mu.Unlock()
	return s.Conn.Write(p)
}

func (s *seen) Close() error {
	s.way.mu.Lock()
	s.way.closed = 1
	s.way.mu.Unlock()
	return s.close()
}

// settings are for the test's server, with a user.
func settings(security environment.MailSecurity) environment.Mail {
	return environment.Mail{
		Host: host, Port: 2525, Security: security, Username: user, Password: environment.NewSecret(password),
		From: "Gemeinde Süd <office@example.org>", HelloName: "narthex.example.org",
	}
}

// plaintext are settings for a test's server without TLS and without users.
func plaintext() environment.Mail {
	s := settings(environment.PlaintextMail)
	s.Username = ""
	return s
}

// newTransport makes a transport whose way leads to the listener.
func newTransport(t *testing.T, s environment.Mail, listener net.Listener) (*mail.Transport, *way) {
	t.Helper()
	transport, err := mail.New(s)
	if err != nil {
		t.Fatal(err)
	}
	w := &way{to: listener.Addr().String()}
	transport.DialBy(w.dial)
	return transport, w
}

func letter() mail.Message {
	return mail.Message{To: []string{"anna@example.net"}, Subject: "Hello", Text: "marked-body\n"}
}

// send fails the test when the attempt takes longer than any limit that a test sets.
func send(t *testing.T, transport *mail.Transport, m mail.Message) mail.SendResult {
	t.Helper()
	began := time.Now()
	outcome := transport.Send(t.Context(), m)
	if took := time.Since(began); took > patience/2 {
		t.Errorf("the attempt took %v", took)
	}
	return outcome
}
