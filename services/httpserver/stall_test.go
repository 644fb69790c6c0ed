package httpserver_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/waittest"
)

const stalledLine = "client did not read its response"

// longBody returns a handler that responds with size bytes.
func longBody(size int) http.Handler {
	text := strings.Repeat("x", size)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, text) })
}

// TestResponseNobodyReads checks that the connection is closed exactly at the deadline when the client does
// not read, but not while it reads a piece from time to time.
func TestResponseNobodyReads(t *testing.T) {
	const piece, size = 64 << 10, 512 << 10
	for _, r := range []struct {
		name  string
		every time.Duration // interval at which a piece is read
		after time.Duration
		lines []string
	}{
		{"nothing", time.Hour, 20 * time.Second, []string{stalledLine}},
		{"a piece in 19 s", 19 * time.Second, 9*19*time.Second + 5*time.Second,
			nil}, // with the head there are nine pieces
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := newPipeListener()
				config := httpserver.ListenerConfig{Inherited: pipes, Handler: longBody(size)}
				s := startRaw(t, config, httpserver.Limits{})
				conn := pipes.dial()
				start := time.Now()
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				closed := make(chan time.Duration, 1)
				go func() {
					var err error
					for err == nil {
						time.Sleep(r.every)
						_, err = io.CopyN(io.Discard, conn, piece)
					}
				}()
				go func() {
					for s.Open() > 0 {
						time.Sleep(10 * time.Millisecond)
					}
					closed <- time.Since(start)
				}()
				if took := <-closed; took.Truncate(time.Second) != r.after {
					t.Errorf("closed after %v, want %v", took, r.after)
				}
				s.check(t, "", "", 1, r.lines...)
				time.Sleep(time.Hour)
			})
		})
	}
}

// TestSilentReader pipelines requests on a real socket and reads nothing: the connection is reset, and the
// bytes in the kernel's buffer are lost.
func TestSilentReader(t *testing.T) {
	t.Parallel()
	s := startRaw(t, httpserver.ListenerConfig{Handler: longBody(256 << 10)},
		httpserver.Limits{Stall: 2 * time.Second})
	conn := s.dialSmall(t)
	if _, err := io.WriteString(conn, strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 300)); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the first answer is on its way", func() bool { return s.runs.Load() > 0 })
	s.eventually(t, "the connection is closed", func() bool { return s.Open() == 0 })
	if _, err := io.Copy(io.Discard, conn); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reading at last ended with %v, want a reset", err)
	}
	if runs := s.runs.Load(); runs > 4 {
		t.Errorf("%d answers were made for a reader who took none; the kernel has room for one", runs)
	}
	if lines := s.logs.FilterMessage(stalledLine).Len(); lines != 1 {
		t.Errorf("%d log lines, want 1", lines)
	}
}

// TestSlowReader reads a little more slowly than the kernel reports progress by itself, for three times the
// deadline, and receives everything.
func TestSlowReader(t *testing.T) {
	if testing.Short() {
		t.Skip("reads slowly for 10 s")
	}
	t.Parallel()
	const size, piece = 192 << 10, 4 << 10 // 48 pieces, so 9.6 s
	const stall, pause = 3 * time.Second, 200 * time.Millisecond
	s := startRaw(t, httpserver.ListenerConfig{Handler: longBody(size)}, httpserver.Limits{Stall: stall})
	conn := s.dialSmall(t)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	got := int64(0)
	for err := error(nil); err == nil; {
		var n int64
		n, err = io.CopyN(io.Discard, conn, piece)
		if got += n; err != nil && err != io.EOF {
			t.Fatalf("cut off after %d bytes: %v", got, err)
		}
		time.Sleep(pause) // the slowness itself
	}
	if got < size {
		t.Errorf("read %d bytes, want %d", got, size)
	}
	s.check(t, "", "", 1)
}

// dialSmall dials with the smallest receive buffer that the kernel allows.
func (s *rawServer) dialSmall(t *testing.T) net.Conn {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET,
				syscall.SO_RCVBUF, 4096)
		})
	}}
	conn, err := dialer.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

func (s *rawServer) eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	waittest.Until(t, what, holds)
}
