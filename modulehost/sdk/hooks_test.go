package sdk_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// slowStarter is a module whose Start lasts until the test lets it end.
type slowStarter struct {
	started, cancelled, release, stopped chan struct{}
}

func newSlowStarter() slowStarter {
	return slowStarter{make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})}
}

func (slowStarter) Register(*sdk.Registry) error { return nil }

func (s slowStarter) Start(ctx context.Context, _ *sdk.Host) error {
	close(s.started)
	<-ctx.Done()
	close(s.cancelled)
	<-s.release
	return ctx.Err()
}

func (s slowStarter) Stop(context.Context) error {
	close(s.stopped)
	return nil
}

// hook calls a hook with its own deadline.
func (p *platform) hook(method abi.Method, within time.Duration) chan error {
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(p.t.Context(), within)
		defer cancel()
		ended <- p.client.Call(ctx, link.Method(method), nil, nil)
	}()
	return ended
}

// TestStopWaitsForStart: Stop cancels Start's context and runs only after Start has returned.
func TestStopWaitsForStart(t *testing.T) {
	s := newSlowStarter()
	p := serve(t, s)
	start := p.hook(abi.Method_METHOD_START, time.Minute)
	<-s.started
	stop := p.hook(abi.Method_METHOD_STOP, time.Minute)
	<-s.cancelled
	select {
	case <-s.stopped:
		t.Error("Stop ran while Start ran")
	case <-time.After(100 * time.Millisecond): // long enough for a Stop that does not wait
	}
	close(s.release)
	if err := <-stop; err != nil {
		t.Errorf("Stop: %v, want nil", err)
	}
	<-s.stopped
	if err := <-start; err == nil {
		t.Error("the cancelled Start succeeded")
	}
}

// TestStopNeverRunsWhileStartHangs: the call of Stop fails at its deadline, and Stop never runs.
func TestStopNeverRunsWhileStartHangs(t *testing.T) {
	s := newSlowStarter()
	p := serve(t, s)
	start := p.hook(abi.Method_METHOD_START, time.Minute)
	<-s.started
	if err := <-p.hook(abi.Method_METHOD_STOP, 300*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop while Start hangs: %v, want %v", err, context.DeadlineExceeded)
	}
	<-p.hook(abi.Method_METHOD_UNSPECIFIED, time.Minute) // sent after the cancellation, so that was received
	close(s.release)
	<-start
	select {
	case <-s.stopped:
		t.Error("Stop ran after it was given up")
	default:
	}
}

// TestStartAfterStopIsRefused: the frames of both calls may be handled in the wrong order.
func TestStartAfterStopIsRefused(t *testing.T) {
	s := newSlowStarter()
	p := serve(t, s)
	if err := <-p.hook(abi.Method_METHOD_STOP, time.Minute); err != nil {
		t.Errorf("Stop: %v, want nil", err)
	}
	if err := <-p.hook(abi.Method_METHOD_START, time.Minute); err == nil {
		t.Error("Start after Stop succeeded")
	}
	select {
	case <-s.started:
		t.Error("Start ran after Stop")
	default:
	}
}
