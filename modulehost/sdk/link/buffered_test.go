package link_test

import (
	"context"
	"errors"
	"io"
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
