package mail_test

import (
	"bytes"
	"context"
	"flag"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "16") // the tests wait for deadlines; -parallel on the command line wins
	leaktest.Main(m)
}

const (
	host     = "mail.example.org"
	patience = time.Minute // must not be reached, even on a slow machine
)

// recordingDialer connects to the test server instead of the configured one and records the bytes below TLS.
type recordingDialer struct {
	to string

	mu        sync.Mutex
	addresses []string // addresses
	out       bytes.Buffer
	in        int // bytes
	opened    int
	closed    int
}

func (w *recordingDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.addresses = append(w.addresses, address)
	w.mu.Unlock()
	conn, err := new(net.Dialer).DialContext(ctx, network, w.to)
	if err != nil {
		return nil, err
	}
	_ = conn.(*net.TCPConn).SetWriteBuffer(4096)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened++
	return &recordedConn{Conn: conn, dialer: w, close: sync.OnceValue(conn.Close)}, nil
}

// written returns all bytes that were written to the wire.
func (w *recordingDialer) written() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.out.Bytes())
}

// assertOneConnection checks that there was one connection, to the configured address, and that it is closed.
func (w *recordingDialer) assertOneConnection(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.addresses) != 1 || w.addresses[0] != host+":2525" || w.opened != 1 || w.closed != 1 {
		t.Errorf("dialed %q, %d opened, %d closed; want one connection to %s:2525, closed", w.addresses,
			w.opened, w.closed, host)
	}
}

type recordedConn struct {
	net.Conn
	dialer *recordingDialer
	close  func() error
}

func (s *recordedConn) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.dialer.mu.Lock()
	defer s.dialer.mu.Unlock()
	s.dialer.in += n
	return n, err
}

func (s *recordedConn) Write(p []byte) (int, error) {
	s.dialer.mu.Lock()
	s.dialer.out.Write(p)
	s.dialer.mu.Unlock()
	return s.Conn.Write(p)
}

func (s *recordedConn) Close() error {
	s.dialer.mu.Lock()
	s.dialer.closed = 1
	s.dialer.mu.Unlock()
	return s.close()
}

// settings returns settings for the test's server, with a user.
func settings(security setting.MailSecurity) setting.Mail {
	return setting.Mail{
		Host: host, Port: 2525, Security: security, Username: user, Password: setting.NewSecret(password),
		From: "Gemeinde Süd <office@example.org>", HelloName: "narthex.example.org",
	}
}

// plaintext returns settings for a test server without TLS and without users.
func plaintext() setting.Mail {
	s := settings(setting.PlaintextMail)
	s.Username = ""
	return s
}

// newTransport makes a transport that connects to the listener.
func newTransport(
	t *testing.T,
	s setting.Mail,
	listener net.Listener,
) (*mail.Transport, *recordingDialer) {
	t.Helper()
	transport, err := mail.New(s)
	if err != nil {
		t.Fatal(err)
	}
	w := &recordingDialer{to: listener.Addr().String()}
	transport.DialBy(w.dial)
	return transport, w
}

func testMessage() mail.Message {
	return mail.Message{To: []string{"anna@example.net"}, Subject: "Hello", Text: "marked-body\n"}
}

// send sends a message. A server of a test hangs up after patience, so an attempt that no limit ends has
// another result.
func send(t *testing.T, transport *mail.Transport, m mail.Message) mail.SendResult {
	t.Helper()
	return transport.Send(t.Context(), m)
}
