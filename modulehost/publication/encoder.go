package publication

import (
	"context"
	"runtime/debug"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/sdk/programpages"
)

// Encoder compresses the modules' scripts after the start, while they are already served uncompressed, so
// that it does not delay the start.
type Encoder struct {
	service *Service
	ready   chan struct{}
}

// Encoder returns the service's encoder, to be started once the platform is ready.
func (s *Service) Encoder() *Encoder {
	ready := make(chan struct{})
	close(ready)
	return &Encoder{service: s, ready: ready}
}

// Serve compresses all scripts, then releases memory, then waits for the end of ctx. It returns the memory of
// the compression and of the start to the system, because the garbage collector of an idle process would keep
// it for minutes, and releases the pages of the program that only the start needed.
func (e *Encoder) Serve(ctx context.Context) error {
	for _, r := range e.service.ordered {
		for _, a := range r.artifacts() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := a.encode(); err != nil {
				e.service.log.Error("a script could not be compressed and is served as it is",
					zap.String("module", r.manifest.ID))
			}
		}
	}
	debug.FreeOSMemory()
	programpages.Release()
	<-ctx.Done()
	return ctx.Err()
}

// Ready is closed from the beginning, because no service waits for compressed scripts.
func (e *Encoder) Ready() <-chan struct{} { return e.ready }

// String returns the service's name.
func (e *Encoder) String() string { return "script encoder" }
