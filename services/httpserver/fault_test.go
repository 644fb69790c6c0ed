package httpserver_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// halfPipe is a pipe whose sending half can be closed without the peer noticing it.
type halfPipe struct {
	net.Conn
	halfClosed time.Time
}

func (p *halfPipe) CloseWrite() error {
	p.halfClosed = time.Now()
	return nil
}

// TestFaultLingers checks that a faulty connection's sending half is closed at once, so that no reset arrives
// before the response, and the rest half a second later. What a handler writes in between is dropped.
func TestFaultLingers(t *testing.T) {
	for _, r := range []struct {
		name, send string
		at         time.Duration
		runs       int32
	}{
		{"head", "GET", 20 * time.Second, 0},
		{"body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na", 30 * time.Second, 1},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := newPipeListener()
				s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes}, httpserver.Limits{})
				client, server := net.Pipe()
				half := &halfPipe{Conn: server}
				start := time.Now()
				pipes.dialled <- half
				end := watch(client)
				_, _ = io.WriteString(client, r.send)
				if got, want := <-end, (received{timedOut, r.at + 500*time.Millisecond}); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
				if after := half.halfClosed.Sub(start); after != r.at {
					t.Errorf("half closed after %v, want %v", after, r.at)
				}
				s.check(t, "", "", r.runs, timeoutLine)
			})
		})
	}
}

// TestFaultOnASocket checks that a client that still sends receives the response and the end, and that the
// socket is closed afterwards.
func TestFaultOnASocket(t *testing.T) {
	s := startRaw(t, httpserver.ListenerConfig{},
		httpserver.Limits{Header: 50 * time.Millisecond, Linger: 50 * time.Millisecond})
	conn := s.dial(t)
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	s.check(t, string(got), timedOut, 0, timeoutLine)
	for err = nil; err == nil; { // limited by the connection's deadline
		_, err = io.WriteString(conn, "more")
	}
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
}

// TestChunkLieUnderAHandler sends a body that becomes malformed while its handler runs: nothing of the
// handler's response may be sent.
func TestChunkLieUnderAHandler(t *testing.T) {
	entered := make(chan struct{})
	s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		close(entered)
		_, err := io.ReadAll(r.Body)
		write(w, fmt.Sprint(err))
	})}, httpserver.Limits{})
	conn := s.dial(t)
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab")
	<-entered
	_, _ = io.WriteString(conn, "lie\r\n")
	got, _ := io.ReadAll(conn)
	s.check(t, string(got), badRequest, 1, refusedLine)
}

// TestFaultAfterABegunResponse checks that nothing is written into a response that was sent in part.
func TestFaultAfterABegunResponse(t *testing.T) {
	t.Parallel()
	s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		controller := http.NewResponseController(w)
		_ = controller.EnableFullDuplex()
		w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
		_, _ = io.WriteString(w, "half")
		_ = controller.Flush()
		if _, err := io.ReadAll(r.Body); err == nil {
			_, _ = io.WriteString(w, "the body ended well")
		}
		panic(http.ErrAbortHandler)
	})}, httpserver.Limits{Request: 2 * time.Second})
	conn := s.dial(t)
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na")
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	s.check(t, string(got), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", 1, timeoutLine)
}
