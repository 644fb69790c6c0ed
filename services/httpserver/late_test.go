package httpserver_test

import (
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// lateListener accepts connections whose reader runs only when the test allows it, as on a machine under
// load.
type lateListener struct {
	net.Listener
	turn    sync.Mutex
	waiting chan struct{} // receives when a Read begins to wait for a request
	over    chan struct{} // receives when the platform ends that wait or the connection
}

func (l *lateListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lateConn{conn.(*net.TCPConn), l}, nil
}

type lateConn struct {
	*net.TCPConn
	all *lateListener
}

// Read waits for bytes and for its turn.
func (c *lateConn) Read(p []byte) (int, error) {
	if len(p) > 1 { // otherwise net/http only checks whether the peer has disconnected
		signal(c.all.waiting)
	}
	raw, err := c.TCPConn.SyscallConn()
	if err != nil {
		return 0, err
	}
	if err := raw.Read(func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return err != syscall.EAGAIN
	}); err != nil {
		return 0, err
	}
	c.all.turn.Lock()
	defer c.all.turn.Unlock()
	return c.TCPConn.Read(p)
}

func (c *lateConn) SetReadDeadline(until time.Time) error {
	err := c.TCPConn.SetReadDeadline(until)
	if !until.IsZero() {
		signal(c.all.over)
	}
	return err
}

func (c *lateConn) Close() error {
	err := c.TCPConn.Close()
	signal(c.all.over)
	return err
}

func signal(whom chan struct{}) {
	select {
	case whom <- struct{}{}:
	default:
	}
}

// TestRequestInTimeIsServed checks a request that arrived in time but was not read before the connection's
// idle time was over: closing it would reset the connection. For a request that arrives later the connection
// is closed.
func TestRequestInTimeIsServed(t *testing.T) {
	t.Parallel()
	bound, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	late := &lateListener{Listener: bound, waiting: make(chan struct{}, 2), over: make(chan struct{}, 8)}
	s := startRaw(t, httpserver.ListenerConfig{Inherited: late,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			write(w, r.URL.Path)
		})}, httpserver.Limits{Idle: 3 * time.Second})
	conn := s.dial(t)
	send := func() { _, _ = io.WriteString(conn, "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc") }
	receive := func() {
		t.Helper()
		got := make([]byte, len(reply("/p")))
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != reply("/p") {
			t.Fatalf("response %q, want %q; error %v", got, reply("/p"), err)
		}
	}
	<-late.waiting
	send()
	receive()

	<-late.waiting
	for len(late.over) > 0 {
		<-late.over
	}
	late.turn.Lock()
	send()
	<-late.over
	late.turn.Unlock()
	receive()

	rest, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	s.check(t, string(rest), "", 2)
}
