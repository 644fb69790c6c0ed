package platform

import (
	"context"
	"time"
)

// compressAfter is how long a new process serves requests before it compresses. The requests that waited for
// the start come first: compression takes a processor, and can delay a request by 10 ms.
const compressAfter = time.Second

// compression compresses the scripts of modules and the Dashboard's page, once, after a start. They are
// served uncompressed until then. It is the last work of a start.
type compression struct {
	server *Server
	ready  chan struct{}
}

func (s *Server) compression() *compression {
	ready := make(chan struct{})
	close(ready)
	return &compression{server: s, ready: ready}
}

// Serve does the work once, and waits until ctx ends.
func (c *compression) Serve(ctx context.Context) error {
	select {
	case <-time.After(compressAfter):
	case <-ctx.Done():
		return ctx.Err()
	}
	c.server.dashboard.Encode()
	c.server.publication.Encode(ctx)
	settleMemory()
	<-ctx.Done()
	return ctx.Err()
}

// Ready returns a closed channel, because nothing waits for the compression.
func (c *compression) Ready() <-chan struct{} { return c.ready }

// String names the service.
func (c *compression) String() string { return "compression after the start" }
