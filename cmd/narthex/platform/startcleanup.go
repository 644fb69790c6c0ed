package platform

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// cleanupDelay is how long a new process serves requests before its startCleanup runs. The requests that
// waited for the start come first: compression takes a processor, and can delay a request by 10 ms.
const cleanupDelay = time.Second

// headroom is the size of an allocation that is never touched, so that the operating system gives no memory
// for it. The garbage collector runs when the heap has doubled. With the few MiB that the platform uses, it
// took a tenth of the processor time of small requests; with headroom it runs a fourth as often. A large heap
// is hardly affected. A start has none, because the allocation itself would begin a collection.
const headroom = 16 << 20

// startCleanup does the work that a start postpones, once: it compresses the scripts and the Dashboard's
// page, which are served uncompressed until then. It returns the memory of that and of the start to the
// system, because the garbage collector of an idle process would keep it for minutes.
type startCleanup struct {
	server *Server
	ready  chan struct{}
}

func (s *Server) startCleanup() *startCleanup {
	ready := make(chan struct{})
	close(ready)
	return &startCleanup{server: s, ready: ready}
}

// Serve does the work once, and keeps the headroom until ctx ends.
func (c *startCleanup) Serve(ctx context.Context) error {
	select {
	case <-time.After(cleanupDelay):
	case <-ctx.Done():
		return ctx.Err()
	}
	untouched := make([]byte, headroom) // first, because later it may get used memory, which would be cleared
	defer runtime.KeepAlive(untouched)
	c.server.dashboard.Encode()
	c.server.publication.Encode(ctx)
	debug.FreeOSMemory()
	<-ctx.Done()
	return ctx.Err()
}

// Ready returns a closed channel, because nothing waits for the cleanup.
func (c *startCleanup) Ready() <-chan struct{} { return c.ready }

// String names the service.
func (c *startCleanup) String() string { return "cleanup after the start" }
