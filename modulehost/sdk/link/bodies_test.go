package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// pair is a host and a module with some body sockets.
type pair struct {
	*link.Client
	bodies *link.Bodies
	far    map[uint32]*link.Socket // by descriptor
	raw    map[uint32]net.Conn     // the same ends, for breaking the rules
	memory *account                // of both ends
}

// newPair returns a pair. When the test ends, both ends must count nothing any more.
func newPair(tb testing.TB, sockets int, h func(p *pair, ctx context.Context, c *link.Call) error) *pair {
	tb.Helper()
	return newPairOver(tb, sockets, socketpair, h)
}

// pipe returns a body socket without a buffer, so that a write can end after any byte.
func pipe(testing.TB) (net.Conn, net.Conn) { return net.Pipe() }

func newPairOver(
	tb testing.TB, sockets int, ends func(testing.TB) (net.Conn, net.Conn),
	h func(p *pair, ctx context.Context, c *link.Call) error,
) *pair {
	tb.Helper()
	near, far := socketpair(tb)
	p := &pair{far: make(map[uint32]*link.Socket), raw: make(map[uint32]net.Conn)}
	var ours []*link.Socket
	for descriptor := range sockets {
		a, b := ends(tb)
		ours = append(ours, link.NewSocket(5+descriptor, a))
		p.far[uint32(5+descriptor)], p.raw[uint32(5+descriptor)] = link.NewSocket(5+descriptor, b), b
	}
	p.bodies = link.NewBodies(ours)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	p.memory = &account{limit: 1 << 30}
	go func() {
		defer close(ended)
		_ = link.ServeCalls(ctx, far, func(ctx context.Context, c *link.Call) (proto.Message, error) {
			return text("a response that is counted"), h(p, ctx, c)
		}, 64, link.Charge(p.memory))
	}()
	p.Client = link.NewClient(near, link.Charge(p.memory))
	tb.Cleanup(func() {
		p.bodies.Close()
		_ = p.Close()
		cancel()
		<-ended
		if left := p.memory.inUse(); left != 0 {
			tb.Errorf("%d bytes are counted after the link has ended, want none", left)
		}
	})
	return p
}

// begin begins a call and lends it a socket; the call's method is the socket's descriptor.
func (p *pair) begin(t *testing.T, streamed bool) *link.Exchange {
	t.Helper()
	socket, err := p.bodies.Take(testContext(t), true)
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Begin(testContext(t), link.Outgoing{
		Method: link.Method(socket.Descriptor()), Within: 20 * time.Second, Pause: 20 * time.Second,
		Bodies: p.bodies, Socket: socket, Streamed: streamed,
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// respond responds with a body.
func respond(c *link.Call, socket *link.Socket, body string, whole bool) error {
	if err := c.Respond(text("a head that is counted"), true); err != nil {
		return err
	}
	w := link.NewBodyWriter(false)
	defer w.Release()
	w.Grow(copy(w.Room(), body))
	if _, err := w.Send(socket, false); err != nil {
		return err
	}
	return w.End(socket, whole)
}

func (p *pair) read(t *testing.T, x *link.Exchange) (string, error) {
	t.Helper()
	if err := x.AwaitResponse(testContext(t), nil); err != nil || !x.Follows() {
		t.Fatal("no body follows:", err)
	}
	if err := x.OpenBody(testContext(t), true); err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(x)
	return string(body), err
}

// TestSocketIsNotLentBeforeTheModuleHasLeftIt checks a call that the caller has given up and whose handler
// still runs.
func TestSocketIsNotLentBeforeTheModuleHasLeftIt(t *testing.T) {
	release := make(chan struct{})
	first := true
	p := newPair(t, 1, func(p *pair, ctx context.Context, c *link.Call) error {
		if !first {
			return respond(c, p.far[5], "the second's", true)
		}
		first = false
		<-ctx.Done()
		<-release // the handler ignores its context
		return respond(c, p.far[5], strings.Repeat("the first's", 5000), true)
	})
	x := p.begin(t, false)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.AwaitResponse(ended, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("AwaitResponse: error %v, want %v", err, context.Canceled)
	}
	x.Close()
	within, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := p.bodies.Take(within, true); err == nil {
		t.Fatal("the socket was lent while the first call still has it")
	}
	close(release)
	x = p.begin(t, false)
	defer x.Close()
	if got, err := p.read(t, x); got != "the second's" || err != nil {
		t.Errorf("read: got %.200q, want %.200q; error %v, want none", got, "the second's", err)
	}
}

// TestReadingThatStopsHalfWay leaves pieces in the socket, which the next call must not see.
func TestReadingThatStopsHalfWay(t *testing.T) {
	n := 0
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		if n++; n == 1 {
			return respond(c, p.far[5], strings.Repeat("1", 60_000), true)
		}
		return respond(c, p.far[5], "2", true)
	})
	x := p.begin(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	if err := x.AwaitResponse(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if err := x.OpenBody(ctx, true); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(x, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := x.Read(make([]byte, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: error %v, want %v", err, context.Canceled)
	}
	x.Close()
	x = p.begin(t, false)
	defer x.Close()
	if got, err := p.read(t, x); got != "2" || err != nil {
		t.Errorf("read: got %.200q, want %.200q; error %v, want none", got, "2", err)
	}
}

// endlessReader is a source that ends only after interrupted is closed.
type endlessReader struct{ interrupted chan struct{} }

func (e endlessReader) Read(p []byte) (int, error) {
	select {
	case <-e.interrupted:
		return 0, net.ErrClosed
	default:
		return len(p), nil
	}
}

// TestUploadThatNobodyReadsToItsEnd checks that the next request does not receive the rest of a body whose
// handler responded after a few bytes.
func TestUploadThatNobodyReadsToItsEnd(t *testing.T) {
	n, halted := 0, make(chan struct{})
	p := newPairOver(t, 1, pipe, func(p *pair, _ context.Context, c *link.Call) error {
		incoming := p.far[5].Incoming(c.Want)
		defer incoming.Close()
		if n++; n == 1 {
			_, _ = incoming.Read(make([]byte, 2))
			err := c.Respond(nil, false)
			<-halted // stops within a piece
			return err
		}
		body, err := io.ReadAll(incoming)
		if string(body) != "second" || err != nil {
			t.Errorf("body of the second call %.40q, want \"second\"; error %v", body, err)
		}
		return c.Respond(nil, false)
	})
	x := p.begin(t, true)
	source := endlessReader{make(chan struct{})}
	if err := x.AwaitResponse(testContext(t), func() { x.Upload(source, 1<<40) }); err != nil {
		t.Fatal(err)
	}
	if whole, err := x.Halt(func() { close(source.interrupted) }); whole || err == nil {
		t.Errorf("Halt: whole true, want false; no error, want one; error %v", err)
	}
	close(halted)
	x.Close()
	x = p.begin(t, true)
	defer x.Close()
	if err := x.AwaitResponse(testContext(t), func() { x.Upload(strings.NewReader("second"), 6) }); err != nil {
		t.Fatal(err)
	}
	if whole, err := x.Halt(nil); !whole || err != nil {
		t.Errorf("Halt: whole false, want true; error %v, want none", err)
	}
}

// TestUploadWhoseSourceFails checks that a failed upload is distinguished from a halted one, even if the
// response arrives at the same time.
func TestUploadWhoseSourceFails(t *testing.T) {
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		incoming := p.far[5].Incoming(c.Want)
		defer incoming.Close()
		if _, err := io.ReadAll(incoming); !errors.Is(err, link.ErrBodyAborted) {
			t.Error(err)
		}
		return c.Respond(nil, false)
	})
	for range 100 {
		x := p.begin(t, true)
		err := x.AwaitResponse(testContext(t), func() { x.Upload(iotest.ErrReader(net.ErrClosed), 1) })
		if err != nil && !errors.Is(err, link.ErrBodyAborted) {
			t.Error(err)
		}
		if whole, err := x.Halt(func() {}); whole || !errors.Is(err, link.ErrBodyAborted) {
			t.Errorf("Halt: whole true, want false; error %v, want %v", err, link.ErrBodyAborted)
		}
		x.Close()
	}
}

// TestNextRequestWaitsForTheRestOfTheLast lets the second of two calls begin to read while the first drops
// the unwanted rest of its body, many times.
func TestNextRequestWaitsForTheRestOfTheLast(t *testing.T) {
	n, reading := 0, make(chan struct{})
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		incoming := p.far[5].Incoming(c.Want)
		defer incoming.Close()
		if n++; n%2 == 1 {
			_, _ = incoming.Read(make([]byte, 2))
			err := c.Respond(nil, false)
			<-reading
			return err
		}
		reading <- struct{}{}
		body, err := io.ReadAll(incoming)
		if string(body) != "second" || err != nil {
			t.Errorf("body of the second call %.40q, want \"second\"; error %v", body, err)
		}
		return c.Respond(nil, false)
	})
	for range 100 {
		for _, body := range []string{strings.Repeat("first", 10_000), "second"} {
			x := p.begin(t, true)
			err := x.AwaitResponse(testContext(t), func() { x.Upload(strings.NewReader(body), 1<<20) })
			if err != nil {
				t.Fatal(err)
			}
			_, _ = x.Halt(func() {})
			x.Close()
		}
	}
}

// TestUnreadBodyHoldsUpNobody checks that 64 unread pieces delay neither other calls nor other bodies.
func TestUnreadBodyHoldsUpNobody(t *testing.T) {
	p := newPair(t, 2, func(p *pair, ctx context.Context, c *link.Call) error {
		if c.Method == 200 {
			return nil
		}
		socket := p.far[uint32(c.Method)]
		if c.Method != 5 {
			return respond(c, socket, "short", true)
		}
		_ = c.Respond(nil, true)
		w := link.NewBodyWriter(false)
		defer w.Release()
		for range 64 {
			w.Grow(len(w.Room()))
			if _, err := w.Send(socket, false); err != nil {
				return nil
			}
		}
		return w.End(socket, true)
	})
	unread := p.begin(t, false)
	defer unread.Close()
	if err := unread.AwaitResponse(testContext(t), nil); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := p.Call(testContext(t), 200, nil, nil); err != nil {
			t.Fatal(err)
		}
		x := p.begin(t, false)
		if got, err := p.read(t, x); got != "short" || err != nil {
			t.Fatalf("read: got %.200q, want %.200q; error %v, want none", got, "short", err)
		}
		x.Close()
	}
}

// TestBodyThatBreaksTheRules checks that such a body loses the link, because the following bytes on the
// socket have no meaning.
func TestBodyThatBreaksTheRules(t *testing.T) {
	for name, bad := range map[string][]byte{
		"kind 0":           {0, 0, 0, 0},
		"kind 6":           {6, 0, 0, 0},
		"data of no bytes": {1, 0, 0, 0},
		"data over 1 MiB":  {1, 1, 0, 16},
		"an end of bytes":  {3, 1, 0, 0, 'x'},
		"a flush of bytes": {2, 1, 0, 0, 'x'},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, 1, func(p *pair, ctx context.Context, c *link.Call) error {
				_ = c.Respond(text("a head that is counted"), true)
				_, _ = p.raw[5].Write(append([]byte{1, 2, 0, 0, 'o', 'k'}, bad...))
				<-ctx.Done()
				return nil
			})
			x := p.begin(t, false)
			if got, err := p.read(t, x); got != "ok" || !errors.Is(err, link.ErrLost) {
				t.Errorf("read: got %.200q, want %.200q; error %v, want %v", got, "ok", err, link.ErrLost)
			}
			p.bodies.Close() // as at the end of the process
			x.Close()
			<-p.Done()
		})
	}
}

// TestExchangeDeadlines checks that all deadlines share one timer and are exact, and that the end of the
// request's body restarts the deadline.
func TestExchangeDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		served := make(chan struct{})
		hostEnd, moduleEnd := net.Pipe()
		module := link.NewSocket(5, moduleEnd)
		go func() {
			defer close(served)
			_ = link.ServeCalls(t.Context(), far, func(ctx context.Context, c *link.Call) (proto.Message, error) {
				if c.Method == 5 {
					incoming := module.Incoming(c.Want)
					defer incoming.Close()
					_, _ = io.ReadAll(incoming)
				}
				<-ctx.Done()
				return nil, nil
			}, 64)
		}()
		c := link.NewClient(near)
		bodies := link.NewBodies([]*link.Socket{link.NewSocket(5, hostEnd)})
		began := time.Now()
		var callers sync.WaitGroup
		for _, within := range []time.Duration{30 * time.Second, time.Second, 7 * time.Second, time.Minute} {
			callers.Go(func() {
				x, err := c.Begin(t.Context(), link.Outgoing{Method: 1, Within: within})
				if err != nil {
					t.Error(err)
					return
				}
				defer x.Close()
				if err := x.AwaitResponse(t.Context(), nil); !errors.Is(err, context.DeadlineExceeded) ||
					time.Since(began) != within {
					t.Errorf("%v after %v, want %v", err, time.Since(began), within)
				}
			})
		}
		callers.Go(func() {
			socket, _ := bodies.Take(t.Context(), true)
			x, err := c.Begin(t.Context(),
				link.Outgoing{Method: 5, Within: 30 * time.Second, Bodies: bodies, Socket: socket, Streamed: true})
			if err != nil {
				t.Error(err)
				return
			}
			defer x.Close()
			slow := func() { x.Upload(io.MultiReader(slowReader(20*time.Second), strings.NewReader("x")), 1) }
			err = x.AwaitResponse(t.Context(), slow)
			if late := time.Since(began) - 50*time.Second; !errors.Is(err, context.DeadlineExceeded) || late < 0 ||
				late > 10*time.Millisecond {
				t.Errorf("upload: error %v after %v, want %v after 50 s", err, time.Since(began),
					context.DeadlineExceeded)
			}
			_, _ = x.Halt(nil)
		})
		callers.Wait()
		synctest.Wait()
		bodies.Close()
		_ = c.Close()
		module.Close()
		<-served
	})
}

// slowReader is a source that returns nothing for a time and then ends.
type slowReader time.Duration

func (s slowReader) Read([]byte) (int, error) {
	time.Sleep(time.Duration(s))
	return 0, io.EOF
}

func TestLateResponseWithoutASocketIsDropped(t *testing.T) {
	release := make(chan struct{})
	p := newPair(t, 1, func(_ *pair, _ context.Context, c *link.Call) error {
		if c.Method == 1 {
			<-release
			_ = c.Respond(raw([]byte("late")), true)
			_, err := c.AwaitSocket()
			return err
		}
		return nil
	})
	response := new(wrapperspb.BytesValue)
	x, err := p.Begin(testContext(t), link.Outgoing{Method: 1, Response: response, Within: time.Millisecond,
		Bodies: p.bodies})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.AwaitResponse(testContext(t), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("AwaitResponse: error %v, want %v", err, context.DeadlineExceeded)
	}
	x.Close()
	close(release)
	for range 3 {
		if err := p.Call(testContext(t), 2, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(response.Value) > 0 {
		t.Error("a late response was decoded")
	}
}

// scriptedStream is a body socket whose peer has sent everything already.
type scriptedStream struct {
	input *bytes.Reader
	step  int // the most bytes that a read returns
}

func (m *scriptedStream) Read(p []byte) (int, error)       { return m.input.Read(p[:min(len(p), m.step)]) }
func (m *scriptedStream) Write(p []byte) (int, error)      { return len(p), nil }
func (m *scriptedStream) Close() error                     { return nil }
func (m *scriptedStream) SetReadDeadline(time.Time) error  { return nil }
func (m *scriptedStream) SetWriteDeadline(time.Time) error { return nil }
