package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// buffered returns a call with a body that is on a socket of the pool.
func (p *pair) buffered(t *testing.T, request proto.Message, body string) link.Outgoing {
	t.Helper()
	socket, err := p.bodies.Take(testContext(t), false)
	if err != nil {
		t.Fatal(err)
	}
	buffer := link.NewBufferedBody(len(body))
	t.Cleanup(buffer.Release)
	copy(buffer.Data(), body)
	return link.Outgoing{Method: link.Method(socket.Descriptor()), Request: request, Within: 20 * time.Second,
		Bodies: p.bodies, Socket: socket, Body: buffer}
}

// TestBodyIsSentWithItsCall checks that a body that the socket has room for is there when its handler begins.
func TestBodyIsSentWithItsCall(t *testing.T) {
	body := string(bytes.Repeat([]byte("body"), 16<<10))
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		got, err := io.ReadAll(p.far[uint32(c.Method)].Incoming(nil))
		if string(got) != body {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		return nil
	})
	for range 3 {
		x, err := p.Begin(testContext(t), p.buffered(t, nil, body))
		if err == nil {
			err = x.AwaitResponse(testContext(t), nil)
		}
		if err != nil { // SendBody was not called
			t.Fatal(err)
		}
		x.Close()
	}
}

// TestRefusedCallLeavesNoBody checks that nothing is sent of the body of a call that cannot be sent.
func TestRefusedCallLeavesNoBody(t *testing.T) {
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		got, err := io.ReadAll(p.far[uint32(c.Method)].Incoming(nil))
		if string(got) != "right" || err != nil {
			t.Errorf("body %q, %v", got, err)
		}
		return nil
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, begin := range map[error]func() (*link.Exchange, error){
		link.ErrUnencodable: func() (*link.Exchange, error) {
			return p.Begin(t.Context(), p.buffered(t, text("\xff"), "wrong"))
		},
		link.ErrTooLarge: func() (*link.Exchange, error) {
			return p.Begin(t.Context(), p.buffered(t, raw(make([]byte, link.MaxMessage)), "wrong"))
		},
		context.Canceled: func() (*link.Exchange, error) {
			return p.Begin(ended, p.buffered(t, nil, "wrong"))
		},
		nil: func() (*link.Exchange, error) {
			return p.Begin(t.Context(), p.buffered(t, nil, "right"))
		},
	} {
		x, err := begin()
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if err == nil {
			if err := errors.Join(x.SendBody(testContext(t)), x.AwaitResponse(testContext(t), nil)); err != nil {
				t.Error(err)
			}
			x.Close()
		}
	}
}

// TestCallFollowsItsBody checks that the call is sent when its caller gives up after a part of its body was
// sent, while the link has no room.
func TestCallFollowsItsBody(t *testing.T) {
	near, far := socketpair(t)
	c := client(t, near)
	hostEnd, moduleEnd := socketpair(t)
	p := &pair{Client: c, bodies: link.NewBodies([]*link.Socket{link.NewSocket(5, hostEnd)})}
	for _, conn := range []net.Conn{far, moduleEnd} {
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	given, giveUp := context.WithCancel(testContext(t))
	calls := 0
	for ; ; calls++ { // until one waits for room
		full, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		x, err := c.Begin(full, link.Outgoing{Method: 1, Request: raw(make([]byte, 256<<10)), Within: time.Minute})
		cancel()
		if err != nil {
			break
		}
		defer x.Close()
	}
	begun := make(chan error, 1)
	go func() {
		x, err := c.Begin(given, p.buffered(t, nil, "body"))
		if err == nil {
			err = errors.Join(x.SendBody(given), x.AwaitResponse(given, nil))
			x.Close()
		}
		begun <- err
	}()
	if _, err := io.ReadFull(moduleEnd, make([]byte, 4+4+4)); err != nil {
		t.Fatal(err)
	}
	giveUp()
	for range calls {
		expectFrame(t, far, kindCall)
	}
	if f := expectFrame(t, far, kindCall); f.method != 5 {
		t.Errorf("a call of method %d, want that of the body", f.method)
	}
	expectFrame(t, far, kindCancel)
	if err := <-begun; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
