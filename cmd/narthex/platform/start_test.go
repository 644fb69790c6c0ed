package platform

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/supervisor"
)

// untilStopped records, when it is stopped, whether the context of the start's steps has ended.
type untilStopped struct {
	steps context.Context
	ready chan struct{}
	found error
}

func (u *untilStopped) Serve(ctx context.Context) error {
	close(u.ready)
	<-ctx.Done()
	u.found = u.steps.Err()
	return ctx.Err()
}

func (u *untilStopped) Ready() <-chan struct{} { return u.ready }

func (u *untilStopped) String() string { return "until stopped" }

// A stop waits for connections in use, so what a step does in the background must end before.
func TestFailedStepEndsTheWorkOfOthersBeforeTheStop(t *testing.T) {
	t.Parallel()
	s := NewServer(environment.Settings{}, Secrets{}, zap.NewNop())
	service := &untilStopped{ready: make(chan struct{})}
	failed := errors.New("failed")
	err := s.run(t.Context(), []func(context.Context) error{
		func(ctx context.Context) error {
			service.steps = ctx
			return s.tree.Start(ctx, supervisor.Child{Service: service})
		},
		func(context.Context) error { return failed },
	})
	if !errors.Is(err, failed) {
		t.Errorf("run: %v, want %v", err, failed)
	}
	if service.found == nil {
		t.Error("the services were stopped while the steps' context went on")
	}
}
