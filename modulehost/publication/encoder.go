package publication

import (
	"context"

	"go.uber.org/zap"
)

// Encoder codes the scripts of the modules while the platform serves them plain already: nobody waits for it at the start.
type Encoder struct {
	service *Service
	ready   chan struct{}
}

// Encoder is to be started once the platform is ready.
func (s *Service) Encoder() *Encoder {
	ready := make(chan struct{})
	close(ready)
	return &Encoder{service: s, ready: ready}
}

// Serve codes one script after the other, and then waits for the end.
func (e *Encoder) Serve(ctx context.Context) error {
	for _, r := range e.service.ordered {
		for _, a := range r.artifacts() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := a.encode(); err != nil {
				e.service.log.Error("a script stays as it is", zap.String("module", r.manifest.ID))
			}
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// Ready is closed at once: nobody waits for smaller scripts.
func (e *Encoder) Ready() <-chan struct{} { return e.ready }

// String names the service.
func (e *Encoder) String() string { return "script encoder" }
