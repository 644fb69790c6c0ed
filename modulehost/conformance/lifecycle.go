package conformance

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// firstRun is one run of the module, from start to stop, without any failure caused by the trial.
type firstRun struct {
	registered *abi.RegisterResponse // nil: no valid handshake
	rules      error                 // the rules that the registration breaks
	ready      bool
	ended      error // the error that Serve returned
	end        process.End
	took       time.Duration // how long the start took
	stopTook   time.Duration
}

// run makes the first run if it was not made yet.
func (t *trial) run(ctx context.Context) *firstRun {
	if t.first != nil {
		return t.first
	}
	r := &firstRun{}
	t.first = r
	s := t.newStage(nil, func(registered *abi.RegisterResponse, rules error) {
		r.registered, r.rules = registered, rules
	})
	defer s.close()
	p := s.process
	began := time.Now()
	life := serve(ctx, p)
	select {
	case <-p.Ready():
		r.ready, r.took = true, time.Since(began)
	case <-life.ended:
	}
	stopping := time.Now()
	r.ended = life.stop()
	r.stopTook = time.Since(stopping)
	if end := p.Status().LastEnd; end != nil {
		r.end = *end
	}
	return r
}

// life is one call of a process's Serve.
type life struct {
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // set when ended is closed
}

func serve(ctx context.Context, p *process.Process) *life {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &life{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		l.err = p.Serve(ctx)
	}()
	return l
}

// stop stops the process and returns the error of Serve. The process has its own deadlines.
func (l *life) stop() error {
	l.cancel()
	<-l.ended
	return l.err
}

func checkHandshake(ctx context.Context, t *trial) outcome {
	r := t.run(ctx)
	if r.registered == nil {
		return t.failedRun(r)
	}
	return passed("ABI %d", r.registered.GetAbi())
}

// failedRun is the outcome of a run that ended too early.
func (t *trial) failedRun(r *firstRun) outcome {
	o := failed("%s", t.why(r))
	o.rule = t.brokenRule()
	return o
}

// why describes the cause of a run's end, in the host's texts.
func (t *trial) why(r *firstRun) string {
	parts := []string{"no error"}
	if r.ended != nil {
		parts[0] = r.ended.Error()
		if refused := refusalCode(r.ended); refused != "" {
			parts = append(parts, refused)
		}
	}
	switch {
	case r.end.Code != nil:
		parts = append(parts, endWords(r.end))
	case r.end.Kind == process.EndDeadline:
		parts = append(parts, "the deadline passed")
	}
	return strings.Join(parts, "; ")
}

// refusalCode returns the code with which the module refused a call, or the cause that the host has wrapped.
func refusalCode(err error) string {
	f, named := errors.AsType[*process.Failure](err)
	if !named {
		return ""
	}
	_, reason, _ := strings.Cut(f.Unwrap().Error(), ": ")
	return reason
}

func checkRegistration(ctx context.Context, t *trial) outcome {
	r := t.run(ctx)
	switch {
	case r.registered == nil:
		return notApplicable("there was no handshake")
	case r.rules != nil:
		return failed("%s", strings.ReplaceAll(r.rules.Error(), "\n", "; "))
	}
	return passed("%d routes, %d channels, %d capabilities", len(r.registered.GetRoutes()),
		len(r.registered.GetChannels()), len(r.registered.GetCapabilities()))
}

func checkStart(ctx context.Context, t *trial) outcome {
	r := t.run(ctx)
	switch {
	case r.registered == nil || r.rules != nil:
		return notApplicable("the registration was not accepted")
	case !r.ready:
		return t.failedRun(r)
	}
	return passed("ready %s after its start", r.took.Round(time.Millisecond))
}

func checkStop(ctx context.Context, t *trial) outcome {
	r := t.run(ctx)
	switch {
	case !r.ready:
		return notApplicable("the module did not start")
	case !errors.Is(r.ended, context.Canceled):
		return t.failedRun(r)
	}
	return passed("gone after %s", r.stopTook.Round(time.Millisecond))
}

func checkStopTwice(ctx context.Context, t *trial) outcome {
	if !t.run(ctx).ready {
		return notApplicable("the module did not start")
	}
	s := t.newStage(nil, nil)
	defer s.close()
	p := s.process
	l := serve(ctx, p)
	defer l.stop()
	select {
	case <-p.Ready():
	case <-l.ended:
		return failed("the module did not start again: %v", l.err)
	}
	within, cancel := context.WithTimeout(ctx, t.stopWithin())
	defer cancel()
	if err := p.Call(within, abi.Method_METHOD_STOP, &abi.StopRequest{}, nil); err != nil {
		return failed("the first Stop: %v", err)
	}
	err := l.stop() // calls Stop a second time
	end := process.End{}
	if last := p.Status().LastEnd; last != nil {
		end = *last
	}
	exited := end.Kind == process.EndExit && end.Code != nil && *end.Code == 0
	refused := errors.Is(err, process.ErrStopFailed) && !errors.Is(err, link.ErrLost)
	if errors.Is(err, context.Canceled) || exited || refused {
		return passed("the second Stop was answered, or the process had exited")
	}
	return t.failedRun(&firstRun{ended: err, end: end})
}

func (t *trial) stopWithin() time.Duration {
	if own := t.options.deadlines.Stop; own > 0 {
		return own
	}
	return deadlines.Stop
}

// partially is how long Start may run in the trial of a partial start, if it makes no call to the host.
const partially = 50 * time.Millisecond

func checkPartialStart(ctx context.Context, t *trial) outcome {
	if !t.run(ctx).ready {
		return notApplicable("the module did not start")
	}
	half := &halfHost{starting: make(chan struct{}), cut: make(chan struct{})}
	s := t.newStage(func(host process.Host) process.Host { half.Host = host; return half }, nil)
	defer s.close()
	p := s.process
	l := serve(ctx, p)
	select {
	case <-half.starting:
		select {
		case <-half.cut:
		case <-time.After(partially):
		case <-l.ended:
		}
	case <-l.ended:
	}
	err := l.stop()
	if !errors.Is(err, context.Canceled) {
		r := &firstRun{ended: err}
		if last := p.Status().LastEnd; last != nil {
			r.end = *last
		}
		return t.failedRun(r)
	}
	return passed("gone")
}

// halfHost responds to the first call of a Start, except one of the log, only after the Start was cancelled.
type halfHost struct {
	process.Host
	opened, asked sync.Once
	starting      chan struct{} // closed when the registration is accepted
	cut           chan struct{} // closed at the first call
}

// Open opens a session of the real host.
func (h *halfHost) Open() process.Session {
	h.opened.Do(func() { close(h.starting) })
	return halfSession{h.Host.Open(), h}
}

type halfSession struct {
	process.Session
	host *halfHost
}

// Serve blocks the first call until the module cancels it, and serves the later ones.
func (s halfSession) Serve(ctx context.Context, m link.Method, payload []byte) (proto.Message, error) {
	first := false
	if abi.Method(m) == abi.Method_METHOD_LOG { // a real host responds to it at once
		return s.Session.Serve(ctx, m, payload)
	}
	s.host.asked.Do(func() { first = true })
	if first {
		close(s.host.cut)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Session.Serve(ctx, m, payload)
}

func (t *trial) stuckWithin() time.Duration {
	if own := t.options.deadlines.Stuck; own > 0 {
		return own
	}
	return deadlines.Stuck
}
