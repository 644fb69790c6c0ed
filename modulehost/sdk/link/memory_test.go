package link_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// account is a Memory with a limit. It records its highest use.
type account struct {
	limit int

	mu         sync.Mutex
	used, most int
}

func (a *account) Reserve(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used+n > a.limit {
		return false
	}
	a.add(n)
	return true
}

func (a *account) Add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(n)
}

func (a *account) Release(n int) { a.Add(-n) }

func (a *account) add(n int) {
	a.used += n
	a.most = max(a.most, a.used)
}

func (a *account) inUse() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

func TestCallsPastTheMemoryAreRefusedAndTheLinkLives(t *testing.T) {
	t.Parallel()
	near, far := socketpair(t)
	memory := &account{limit: 3 << 20} // two calls
	release, entered := make(chan struct{}), make(chan struct{}, 8)
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		served <- link.Serve(ctx, far,
			func(_ context.Context, _ link.Method, payload []byte) (proto.Message, error) {
				if len(payload) > 1<<20 {
					entered <- struct{}{}
					<-release
				}
				return nil, nil
			}, 8, link.Charge(memory))
	}()
	c := link.NewClient(near)
	large := &abi.PublishRequest{Data: bytes.Repeat([]byte{0xff}, 1200<<10)}
	ended := make(chan error, 2)
	for range 2 {
		go func() { ended <- c.Call(testContext(t), 1, large, nil) }()
		select {
		case <-entered:
		case err := <-ended:
			t.Fatalf("a call within the memory: %v", err)
		}
	}
	var refused *link.Failure
	err := c.Call(testContext(t), 1, large, nil)
	if !errors.As(err, &refused) || refused.Code() != "HOST_OVERLOADED" {
		t.Errorf("a third call of 1.2 MiB beside two, with 3 MiB of memory: %v, want HOST_OVERLOADED", err)
	}
	if err := c.Call(testContext(t), 1, &abi.PublishRequest{Channel: "small"}, nil); err != nil {
		t.Errorf("a small call meanwhile: %v", err)
	}
	close(release)
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("a call within the memory: %v", err)
		}
	}
	if err := c.Call(testContext(t), 1, large, nil); err != nil {
		t.Errorf("a call of 1.2 MiB afterwards: %v", err)
	}
	_ = c.Close()
	<-served
	cancel()
	if left := memory.inUse(); left != 0 {
		t.Errorf("%d bytes are counted after the link has ended, want none", left)
	}
}

func TestAMessageOfEmptyFieldsCountsForWhatItBecomes(t *testing.T) {
	t.Parallel()
	near, far := socketpair(t)
	memory := &account{limit: 32 << 20}
	served := make(chan error, 1)
	go func() {
		served <- link.Serve(t.Context(), far, func(context.Context, link.Method, []byte) (proto.Message, error) {
			t.Error("the handler was called")
			return nil, nil
		}, 8, link.Charge(memory))
	}()
	c := link.NewClient(near)
	many := &abi.LogRequest{Attributes: make([]*abi.Header, 600_000)} // 1.2 MiB here, 50 MiB once decoded
	for n := range many.Attributes {
		many.Attributes[n] = &abi.Header{}
	}
	var refused *link.Failure
	err := c.Call(testContext(t), 1, many, nil)
	if !errors.As(err, &refused) || refused.Code() != "HOST_OVERLOADED" {
		t.Errorf("600,000 attributes with 32 MiB of memory: %v, want HOST_OVERLOADED", err)
	}
	_ = c.Close()
	<-served
}

func TestResponsesPastTheMemoryAreDropped(t *testing.T) {
	t.Parallel()
	near, far := socketpair(t)
	served := make(chan error, 1)
	go func() {
		served <- link.Serve(t.Context(), far,
			func(_ context.Context, m link.Method, _ []byte) (proto.Message, error) {
				return &abi.SnapshotResponse{Data: make([]byte, int(m)<<10)}, nil
			}, 8)
	}()
	memory := &account{limit: 100 << 10}
	c := link.NewClient(near, link.Charge(memory))
	var response abi.SnapshotResponse
	if err := c.Call(testContext(t), 250, nil, &response); !errors.Is(err, link.ErrOverloaded) {
		t.Errorf("a response of 250 KiB: %v, want %v", err, link.ErrOverloaded)
	}
	if err := c.Call(testContext(t), 20, nil, &response); err != nil || len(response.GetData()) != 20<<10 {
		t.Errorf("a response of 20 KiB afterwards: %v", err)
	}
	x, err := c.Begin(t.Context(),
		link.Outgoing{Method: 20, Response: &response, Within: time.Minute, Pause: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	before := memory.inUse()
	if err := x.AwaitResponse(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if held := memory.inUse(); held < 20<<10 {
		t.Errorf("%d bytes are counted while a response of 20 KiB is in use, want at least that; %d "+
			"before it", held, before)
	}
	x.Close()
	_ = c.Close()
	<-served
	if left := memory.inUse(); left != 0 {
		t.Errorf("%d bytes are counted after the link has ended, want none", left)
	}
}

// TestWhatIsCountedIsReleased ends exchanges in ways in which nobody takes their response any more. newPair
// checks that nothing is counted in the end.
func TestWhatIsCountedIsReleased(t *testing.T) {
	t.Parallel()
	t.Run("a response after its deadline", func(t *testing.T) {
		release := make(chan struct{})
		p := newPair(t, 1, func(*pair, context.Context, *link.Call) error { <-release; return nil })
		x := p.beginWithin(t, 1)
		if err := x.AwaitResponse(testContext(t), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a response that is late: error %v, want %v", err, context.DeadlineExceeded)
		}
		x.Close()
		close(release)
		if _, err := p.bodies.Take(testContext(t), true); err != nil {
			t.Errorf("the socket of a late response: error %v, want it free", err)
		}
	})
	t.Run("a response whose caller has left meanwhile", func(t *testing.T) {
		p := newPair(t, 0, func(*pair, context.Context, *link.Call) error { return nil })
		x, err := p.Begin(testContext(t), link.Outgoing{Within: time.Minute, Pause: time.Minute, Bodies: p.bodies})
		if err != nil {
			t.Fatal(err)
		}
		for p.memory.inUse() == 0 {
			runtime.Gosched() // until it was read
		}
		x.Close()
	})
	t.Run("a body that the loss of the link has cut", func(t *testing.T) {
		p := newPair(t, 1, func(_ *pair, ctx context.Context, c *link.Call) error {
			_ = c.Respond(text("the head of a body"), true)
			<-ctx.Done()
			return nil
		})
		x := p.beginWithin(t, time.Minute)
		if err := x.AwaitResponse(testContext(t), nil); err != nil || !x.Follows() {
			t.Fatalf("a response with a body: error %v, want none", err)
		}
		_ = p.Close()
		x.Close()
	})
}

func (p *pair) beginWithin(t *testing.T, within time.Duration) *link.Exchange {
	t.Helper()
	socket, err := p.bodies.Take(testContext(t), true)
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Begin(testContext(t), link.Outgoing{Within: within, Pause: time.Minute, Bodies: p.bodies,
		Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	return x
}
