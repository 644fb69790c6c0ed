package httpserver

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/services/waittest"
)

// TestMoves makes each move of the table in the way in which it happens. Every other move is logged.
func TestMoves(t *testing.T) {
	for from := range phase(len(moves)) {
		for to := range phase(len(moves)) {
			c := newWalked(t)
			if !slices.Contains(moves[from], to) {
				c.at.Store(uint32(from))
				c.locked(func() { c.move(to) })
				if c.logged() != 1 {
					t.Errorf("a move from %d to %d was not logged", from, to)
				}
				continue
			}
			t.Run(fmt.Sprintf("%d to %d", from, to), func(t *testing.T) {
				c.T = t
				if to == phaseDraining && from < phaseResponding || from == phaseLingering {
					c.fill()
				}
				c.bring(from)
				c.reaches(from)
				if from < phaseLingering && to >= phaseLingering {
					c.end(to)
				} else {
					c.goOn(to)
				}
				c.reaches(to)
				if c.logged() != 0 {
					t.Error("the move was logged as one that is not in the table")
				}
			})
		}
	}
}

// walked is a connection whose net/http is the test.
type walked struct {
	*testing.T
	*conn
	peer *net.TCPConn
	logs *observer.ObservedLogs
}

func newWalked(t *testing.T) *walked {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.ErrorLevel)
	limits := defaultLimits()
	limits.linger = time.Hour
	all := newConnections(listener, ListenerConfig{Log: zap.New(core)}, limits)
	peer, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	socket, err := all.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := &walked{T: t, conn: socket.(*conn), peer: peer.(*net.TCPConn), logs: logs}
	t.Cleanup(func() {
		_, _ = peer.Close(), listener.Close()
		c.clock.timer.Stop()
		_ = c.Conn.Close()
		all.lines.Close()
		all.unwatched.end()
	})
	return c
}

func (c *walked) logged() int { return c.logs.FilterMessage(brokenLine.text).Len() }

func (c *walked) locked(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

func (c *walked) reaches(at phase) {
	c.Helper()
	if c.phase() != at {
		c.Fatalf("phase %d, want %d", c.phase(), at)
	}
}

const walkedHead = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"

// bring moves a new connection to a phase.
func (c *walked) bring(at phase) {
	c.Helper()
	switch at {
	case phaseIdle:
	case phaseHead:
		c.receive(walkedHead[:9])
	case phaseReceived:
		c.receive(walkedHead)
	case phaseHandling:
		c.bring(phaseReceived)
		c.goOn(phaseHandling)
	case phaseResponding, phaseLent:
		c.bring(phaseHandling)
		c.goOn(at)
	case phaseLingering, phaseClosed:
		c.end(at)
	case phaseDraining:
		c.fill()
		c.end(at)
	}
}

// goOn makes the next move of a request, or of an end.
func (c *walked) goOn(to phase) {
	c.Helper()
	switch to {
	case phaseIdle:
		c.receive("body")
		connState(c.conn, http.StateIdle)
	case phaseHead:
		if c.phase() == phaseIdle {
			c.receive(walkedHead[:9])
			return
		}
		c.raw = nil // only of a connection that is not the kernel's a byte of the next request is read
		c.receive("body")
		c.receive(walkedHead[:1])
		connState(c.conn, http.StateIdle)
	case phaseReceived:
		c.receive(walkedHead[c.framing.size:])
	case phaseHandling:
		request, err := http.NewRequest(http.MethodPost, "/", strings.NewReader("body"))
		if err != nil || !c.admit(request) {
			c.Fatal("not admitted", err)
		}
	case phaseResponding:
		if _, err := io.WriteString(c.conn, "HTTP/1.1 204 No Content\r\n\r\n"); err != nil {
			c.Fatal(err)
		}
	case phaseLent:
		connState(c.conn, http.StateHijacked)
	case phaseDraining: // after lingering
		c.lingered()
	case phaseClosed:
		go func() { _, _ = io.Copy(io.Discard, c.peer) }()
		waittest.Until(c.T, "the peer has acknowledged everything", func() bool { return unsent(c.raw) == 0 })
		if c.phase() == phaseDraining {
			c.locked(c.checkProgress)
		} else {
			c.lingered()
		}
	}
}

// end ends a connection whose phase is not an end.
func (c *walked) end(how phase) {
	c.Helper()
	isLent := c.phase() == phaseLent
	switch how {
	case phaseLingering:
		switch {
		case isLent:
			c.send("more")
			waittest.Until(c.T, "more", c.unread)
			c.EndStream(stream.Finished)
		case c.phase() == phaseResponding:
			c.CancelBody()
			_ = c.Close()
		default:
			c.locked(func() { c.fail(faultTimeout) })
		}
	case phaseDraining:
		c.fill()
		if isLent {
			c.EndStream(stream.Finished)
		} else {
			_ = c.Close()
		}
	case phaseClosed:
		if isLent {
			c.EndStream(stream.Left)
		} else {
			c.abort()
		}
	}
}

// lingered lets the time of a lingering connection pass.
func (c *walked) lingered() {
	c.locked(func() { c.clock.due = past })
	c.expire()
}

func (c *walked) send(text string) {
	c.Helper()
	if _, err := io.WriteString(c.peer, text); err != nil {
		c.Fatal(err)
	}
}

// receive sends text and reads it, as net/http does.
func (c *walked) receive(text string) {
	c.Helper()
	c.send(text)
	for left := len(text); left > 0; {
		n, err := c.Read(make([]byte, left))
		if left -= n; err != nil {
			c.Fatal(err)
		}
	}
}

// fill writes more than a closed socket may leave in the kernel, of which the peer reads nothing.
func (c *walked) fill() {
	c.Helper()
	for unsent(c.raw) <= maxKernelBytes {
		if _, err := c.Conn.Write(make([]byte, 4<<10)); err != nil {
			c.Fatal(err)
		}
	}
}
