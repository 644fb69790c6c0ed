package platform

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/programpages"
)

// afterStart is how long a platform that has just started serves before it takes a processor for itself.
// Whoever waited for the start is served first: beside a goroutine that compresses a request can wait for 10 ms
// until the runtime notices it.
const afterStart = time.Second

// afterwards does once what a start leaves: it compresses what is served plain until then, gives the memory
// of that and of the start back to the system, which the collector of an idle process would keep for minutes,
// and lets go of the program's pages that only the start needed.
type afterwards struct {
	server *Server
	ready  chan struct{}
}

func (s *Server) afterwards() *afterwards {
	ready := make(chan struct{})
	close(ready)
	return &afterwards{server: s, ready: ready}
}

// Serve works once, then waits for the end of ctx.
func (a *afterwards) Serve(ctx context.Context) error {
	select {
	case <-time.After(afterStart):
	case <-ctx.Done():
		return ctx.Err()
	}
	a.server.dashboard.Encode()
	a.server.publication.Encode(ctx)
	debug.FreeOSMemory()
	programpages.Release()
	<-ctx.Done()
	return ctx.Err()
}

// Ready is closed from the beginning, because nothing waits for this.
func (a *afterwards) Ready() <-chan struct{} { return a.ready }

// String names the service.
func (a *afterwards) String() string { return "after the start" }
