package link_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// blockingHandler counts the calls in it and lets one return for each token.
type blockingHandler struct {
	inside, most, total atomic.Int32
	entered             chan struct{}
	release             chan struct{}
}

func newBlockingHandler() *blockingHandler {
	return &blockingHandler{entered: make(chan struct{}, 10_000), release: make(chan struct{})}
}

func (g *blockingHandler) handle(ctx context.Context, _ link.Method, _ []byte) (proto.Message, error) {
	n := g.inside.Add(1)
	defer g.inside.Add(-1)
	g.total.Add(1)
	for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	g.entered <- struct{}{}
	select {
	case <-g.release:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *blockingHandler) waitInside(n int) {
	for range n {
		<-g.entered
	}
}

func TestExactlySoManyCallsAreInService(t *testing.T) {
	const inService, calls = 5, 60
	g := newBlockingHandler()
	c := connect(t, inService, g.handle)
	var callers sync.WaitGroup
	for range calls {
		callers.Go(func() {
			if err := c.Call(testContext(t), 1, nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	g.waitInside(inService)
	if err := c.Ping(testContext(t)); err != nil { // so the reader has read everything that was sent before
		t.Fatal(err)
	}
	if n := g.total.Load(); n != inService {
		t.Fatalf("%d handlers were started, want %d", n, inService)
	}
	close(g.release)
	callers.Wait()
	if most, total := g.most.Load(), g.total.Load(); most != inService || total != calls {
		t.Fatalf("at most %d calls at once and %d in all, want %d and %d", most, total, inService, calls)
	}
}

func TestCancelAndPingPassCallsThatWait(t *testing.T) {
	g := newBlockingHandler()
	c := connect(t, 1, g.handle)
	first, cancelFirst := context.WithCancel(testContext(t))
	second, cancelSecond := context.WithCancel(testContext(t))
	results := make(chan error, 3)
	call := func(ctx context.Context) { results <- c.Call(ctx, 1, nil, nil) }
	go call(first)
	g.waitInside(1)
	go call(second)
	if err := c.Ping(testContext(t)); err != nil {
		t.Fatal("ping while all handlers are busy:", err)
	}
	cancelSecond() // it is parked and must never reach a handler
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := c.Ping(testContext(t)); err != nil {
		t.Fatal(err)
	}
	go call(testContext(t))
	cancelFirst() // it is in service: its handler ends, and the third call is served
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	g.waitInside(1)
	close(g.release)
	if err := <-results; err != nil {
		t.Fatal(err)
	}
	if total := g.total.Load(); total != 2 {
		t.Fatalf("%d calls reached a handler, want 2", total)
	}
}

// TestReadingPauses floods a server whose handlers are busy: it must read a bounded amount, and continue
// afterwards.
func TestReadingPauses(t *testing.T) {
	for name, row := range map[string]struct{ payload, calls int }{
		"by number": {10, 1 + 1024 + 1 + 4000},
		"by bytes":  {1 << 20, 20},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := socketpair(t)
			meter := &countingConn{Conn: far}
			g := newBlockingHandler()
			serve(t, meter, 1, g.handle)
			sent := make(chan error, 1)
			go func() {
				for id := range row.calls {
					f := rawFrame{kind: kindCall, id: uint32(id + 1), payload: make([]byte, row.payload)}
					if _, err := near.Write(f.bytes()); err != nil {
						sent <- err
						return
					}
				}
				sent <- nil
			}()
			g.waitInside(1)
			// Reading has paused if a probe after all calls gets no response. The limit is one call in service, the
			// parked calls, the one that exceeded the bound, and the bytes in the reader's buffer.
			limit := int64(min(1+1024+1, row.calls)*(10+row.payload)) + 64<<10
			if row.payload == 1<<20 {
				limit = 1<<20 + 2*link.MaxMessage + 2*link.MaxMessage
			}
			meter.settle(t)
			if n := meter.read.Load(); n > limit {
				t.Fatalf("%d bytes were read, want at most %d", n, limit)
			}
			go func() { _, _ = io.Copy(io.Discard, near) }()
			close(g.release)
			if err := <-sent; err != nil {
				t.Fatal(err)
			}
			g.waitInside(row.calls - 1)
		})
	}
}

// countingConn counts the bytes that are read.
type countingConn struct {
	net.Conn
	read atomic.Int64
}

func (m *countingConn) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.read.Add(int64(n))
	return n, err
}

// settle returns when nothing was read for a while. A server that never pauses settles as well, because it
// has read everything.
func (m *countingConn) settle(t *testing.T) {
	t.Helper()
	for before := int64(-1); before != m.read.Load(); {
		before = m.read.Load()
		<-time.After(50 * time.Millisecond)
	}
}
