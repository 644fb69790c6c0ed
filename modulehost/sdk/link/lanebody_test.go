package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// bodyInLane returns a call whose body is in a lane.
func (p *pair) bodyInLane(t *testing.T, request proto.Message, body []byte) link.Outgoing {
	t.Helper()
	lane := p.bodies.TakeLane(len(body))
	if lane == nil {
		t.Fatalf("no lane for a body of %d bytes", len(body))
	}
	t.Cleanup(lane.Release)
	from := bytes.NewReader(body)
	o := link.Outgoing{Request: request, Within: 20 * time.Second, Pause: 20 * time.Second, Bodies: p.bodies}
	if err := errors.Join(lane.Fill(func(b []byte) error {
		_, err := io.ReadFull(from, b)
		return err
	}), lane.Lend(&o)); err != nil {
		t.Fatal(err)
	}
	o.Method = link.Method(o.Socket.Descriptor())
	return o
}

// exchange sends the call, and returns the body that the module sends back.
func (p *pair) exchange(t *testing.T, o link.Outgoing) []byte {
	t.Helper()
	x, err := p.Begin(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := errors.Join(x.SendBody(testContext(t)), x.AwaitResponse(testContext(t), nil)); err != nil {
		t.Fatal(err)
	}
	if !x.Follows() {
		return nil
	}
	if err := x.OpenBody(testContext(t), true); err != nil {
		t.Fatal(err)
	}
	got, err := readNext(x)
	if err != io.EOF {
		t.Fatal(err)
	}
	return got
}

// readBuffered is a module's handler that reads a buffered body, and sends it back if the call says so.
func readBuffered(t *testing.T, want func() []byte) func(p *pair, _ context.Context, c *link.Call) error {
	return func(p *pair, _ context.Context, c *link.Call) error {
		if bytes.Contains(c.Payload, []byte("back")) {
			return passOn(p, c, 0)
		}
		incoming := p.far[uint32(c.Method)].Incoming(nil)
		defer incoming.Close()
		if got, err := io.ReadAll(incoming); err != nil || !bytes.Equal(got, want()) {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(want()))
		}
		return nil
	}
}

// TestBuffersInALane sends buffered bodies of every size in one lane, one after the other: each finds the
// lane free, whatever was sent before it, and arrives unchanged.
func TestBuffersInALane(t *testing.T) {
	var sent []byte
	p := newPair(t, 1, readBuffered(t, func() []byte { return sent }))
	p.share(t)
	sizes := []int{5, link.SlotBytes/2 + 1, link.SlotBytes, 2*link.SlotBytes + 1, 3 * link.SlotBytes,
		link.LaneBytes}
	for n := range 40 {
		sent = numbered(sizes[rand.IntN(len(sizes))])[n%2:]
		p.exchange(t, p.bodyInLane(t, nil, sent))
	}
	if p.bodies.TakeLane(link.LaneBytes+1) != nil {
		t.Error("a lane was lent for a longer body than it has memory")
	}
}

// TestLaneAfterAnOddNumberOfSlots: one free slot is not reported after a streamed body of one slot. A body
// that needs it gets no lane; a shorter one does, and then all slots are free again.
func TestLaneAfterAnOddNumberOfSlots(t *testing.T) {
	sent := numbered(link.SlotBytes)
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		incoming := p.far[5].Incoming(c.Want)
		if len(c.Payload) > 0 {
			incoming = p.far[5].Incoming(nil)
		}
		defer incoming.Close()
		if got, err := io.ReadAll(incoming); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(sent))
		}
		return nil
	})
	p.share(t)
	x := p.begin(t, true)
	err := x.AwaitResponse(testContext(t), func() { x.Upload(bytes.NewReader(sent), int64(len(sent))) })
	if whole, cut := x.Halt(func() {}); err != nil || !whole || cut != nil {
		t.Fatal(err, whole, cut)
	}
	x.Close()
	p.awaitSocket(t)
	if p.bodies.TakeLane(link.LaneBytes) != nil {
		t.Fatal("a lane was lent whose last slot is not known to be free")
	}
	for _, size := range []int{2 * link.SlotBytes, link.LaneBytes} {
		sent = numbered(size)
		p.exchange(t, p.bodyInLane(t, raw([]byte("x")), sent))
	}
}

// TestLaneIsGivenBack gives up bodies in a lane at every point before their call is sent. Each time the lane
// is free again, and the next body in it arrives.
func TestLaneIsGivenBack(t *testing.T) {
	sent := numbered(link.LaneBytes)
	p := newPair(t, 1, readBuffered(t, func() []byte { return sent }))
	p.share(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	other := link.NewBodies(nil)
	failed := errors.New("the client has disconnected")
	for name, giveUp := range map[string]func(){
		"read fails": func() {
			lane, parts := p.bodies.TakeLane(len(sent)), 0
			if err := lane.Fill(func(b []byte) error {
				clear(b)
				if parts++; parts == 3 {
					return failed
				}
				return nil
			}); err != failed {
				t.Error(err)
			}
			lane.Release()
			lane.Release()
		},
		"restarted": func() {
			lane := p.bodies.TakeLane(len(sent))
			if err := lane.Lend(&link.Outgoing{Bodies: other}); err != link.ErrLost {
				t.Errorf("%v, want %v", err, link.ErrLost)
			}
			lane.Release()
		},
		"unencodable": func() {
			if _, err := p.Begin(t.Context(), p.bodyInLane(t, text("\xff"), sent)); err != link.ErrUnencodable {
				t.Errorf("%v, want %v", err, link.ErrUnencodable)
			}
		},
		"context ended": func() {
			if _, err := p.Begin(ended, p.bodyInLane(t, nil, sent)); err != context.Canceled {
				t.Errorf("%v, want %v", err, context.Canceled)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			giveUp()
			p.exchange(t, p.bodyInLane(t, nil, sent))
		})
	}
}

// TestLaneThatWasLeftEarly: a call that was given up while it waited keeps its lane until the module has
// finished with it, and leaves it usable, with a deadline in the past on its socket.
func TestLaneThatWasLeftEarly(t *testing.T) {
	sent := numbered(link.LaneBytes)
	p := newPair(t, 1, readBuffered(t, func() []byte { return sent }))
	p.share(t)
	for range 20 {
		ctx, cancel := context.WithCancel(testContext(t))
		x, err := p.Begin(ctx, p.bodyInLane(t, raw([]byte("back")), sent))
		if err == nil {
			err = errors.Join(x.SendBody(ctx), x.AwaitResponse(ctx, nil), x.OpenBody(ctx, true))
		}
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		x.Close()
		p.awaitSocket(t)
		if got := p.exchange(t, p.bodyInLane(t, raw([]byte("back")), sent)); !bytes.Equal(got, sent) {
			t.Fatalf("%d bytes came back, want %d", len(got), len(sent))
		}
	}
}

// awaitSocket waits until a socket that was lent is free again.
func (p *pair) awaitSocket(t *testing.T) {
	t.Helper()
	socket, err := p.bodies.Take(testContext(t), true)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Begin(ended, link.Outgoing{Bodies: p.bodies, Socket: socket}); err != context.Canceled {
		t.Fatal(err)
	}
}

// TestHalfOfTheLanesStayFree checks that bodies that are being read leave half of the lanes to others.
func TestHalfOfTheLanesStayFree(t *testing.T) {
	p := newPair(t, 8, func(*pair, context.Context, *link.Call) error { return nil })
	if p.bodies.TakeLane(1) != nil {
		t.Error("a lane of a pool without lanes")
	}
	p.share(t)
	var taken []*link.LaneBody
	for range 4 {
		lane := p.bodies.TakeLane(1)
		if lane == nil {
			t.Fatalf("%d lanes are lent, and no other", len(taken))
		}
		taken = append(taken, lane)
	}
	if p.bodies.TakeLane(1) != nil {
		t.Error("a fifth lane")
	}
	taken[0].Release()
	if p.bodies.TakeLane(1) == nil {
		t.Error("no lane after one was given back")
	}
}

// TestLaneOfAProcessThatHasEnded: its memory stays mapped until the body that is read into it is given up,
// and no further body is read into it.
func TestLaneOfAProcessThatHasEnded(t *testing.T) {
	var freed atomic.Int32
	p := newPair(t, 1, func(*pair, context.Context, *link.Call) error { return nil })
	p.bodies.Share(&link.LaneMemory{Bytes: make([]byte, link.LaneBytes), Empty: func() {},
		Free: func() { freed.Add(1) }})
	lane := p.bodies.TakeLane(link.LaneBytes)
	p.bodies.Close()
	if err := lane.Fill(func([]byte) error { return nil }); err != nil || freed.Load() != 0 {
		t.Errorf("%v; the memory was freed %d times while in use", err, freed.Load())
	}
	lane.Release()
	if p.bodies.TakeLane(1) != nil || freed.Load() != 1 {
		t.Errorf("the memory was freed %d times, or lent afterwards", freed.Load())
	}
}
