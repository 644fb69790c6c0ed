package process

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// life is one run of the child, from its start until nothing of it is left.
type life struct {
	config   *Config
	began    time.Time
	child    *child
	calls    *link.Client    // host → module
	died     bool            // it ended before the host killed it
	late     bool            // the host ends it because it was too late with something
	stuck    <-chan struct{} // closed when too many abandoned calls do not end
	inFlight sync.WaitGroup

	session  Session       // module → host, from the moment the registration was accepted; nil before
	stopHost func()        // ends session's link
	hostLost chan struct{} // closed when session's link has ended
	hostErr  error         // after hostLost: why
}

// Serve is one life of the child. It blocks until ctx ends, then stops the module and returns ctx's error,
// or ErrStopTimeout or ErrStopFailed; or until the life ends otherwise, with the code of what went wrong.
// It may be called again after it returned, and begins anew. Never call it twice at a time.
func (p *Process) Serve(ctx context.Context) error {
	walls := p.config.kernel()
	if err := p.admit(walls); err != nil {
		return about(p.config.ModuleID, err)
	}
	child, err := startChild(&p.config, walls)
	if err != nil {
		return about(p.config.ModuleID, p.notStarted(err))
	}
	p.began(child)
	l := &life{config: &p.config, began: time.Now(), child: child,
		calls: link.NewClient(child.hostCalls, link.Charge(p.config.Memory))}
	l.stuck = l.calls.WatchAbandoned(mostStuck, p.config.Deadlines.Stuck)
	err = p.run(ctx, l)
	p.withdraw()
	l.died = !l.late && l.child.exitedWithin(deathGrace)
	l.end()
	p.ended(l, err)
	l.report(err)
	return about(p.config.ModuleID, err)
}

// notStarted: of the operating system's error only the number's text is safe to keep; the rest may be a path.
func (p *Process) notStarted(err error) error {
	cause := "other"
	var errno syscall.Errno
	if errors.As(err, &errno) {
		cause = errno.Error()
	}
	p.mu.Lock()
	p.notReady(err)
	p.mu.Unlock()
	p.config.Log.Error("module process not started", zap.String("cause", cause))
	switch {
	case errors.Is(err, ErrUnavailable):
		return err
	case errno == syscall.EAGAIN:
		return ErrProcessLimit
	case errno == syscall.EMFILE, errno == syscall.ENFILE:
		return caused(ErrProcessLimit, errNoDescriptor)
	}
	return caused(ErrRegisterFailed, errNotStarted)
}

var (
	errNoDescriptor = errors.New("the platform has no descriptor left")
	errNotStarted   = errors.New("the process was not started")
)

// run returns why the life ends. What it leaves behind, end clears.
func (p *Process) run(ctx context.Context, l *life) error {
	registered, err := l.register(ctx)
	if err != nil {
		return err
	}
	if !p.freeze(registered) {
		return caused(ErrRegisterFailed, errOtherRegistration)
	}
	l.openHost()
	if err := l.start(ctx); err != nil {
		return err
	}
	p.publish(l)
	l.config.Log.Info("module ready", zap.Duration("after", time.Since(l.began)))
	if reason := l.watch(ctx); reason != "" {
		l.late = reason == reasonPing || reason == reasonStuck
		l.config.Log.Warn("module process lost", zap.String("reason", reason))
		return ErrCrashed
	}
	p.withdraw()
	if err := l.stop(); err != nil {
		return err
	}
	return ctx.Err()
}

var (
	errABI               = errors.New("the module speaks another ABI")
	errOtherRegistration = errors.New("the registration differs from the first one")
)

// register is the handshake. Nothing the module asks for is answered before it is accepted.
func (l *life) register(ctx context.Context) (*abi.RegisterResponse, error) {
	within, cancel := context.WithTimeout(ctx, l.config.Deadlines.Register)
	defer cancel()
	response := &abi.RegisterResponse{}
	err := l.calls.Call(within, link.Method(abi.Method_METHOD_REGISTER), &abi.RegisterRequest{
		Abi:             abi.Version,
		ModuleId:        l.config.ModuleID,
		ModuleVersion:   l.config.ModuleVersion,
		PlatformVersion: abi.PlatformVersion,
	}, response)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, link.ErrLost):
		return nil, l.child.launchFailure()
	case err != nil:
		l.late = errors.Is(err, context.DeadlineExceeded)
		return nil, refused(ErrRegisterFailed, err)
	case response.Abi != abi.Version:
		return nil, caused(ErrRegisterFailed, errABI)
	case l.config.Validate != nil:
		if err := l.config.Validate(response); err != nil {
			// The host's own words about what was registered: without them an author would search in the dark.
			l.config.Log.Error("module registration refused", zap.String("reason", err.Error()))
			return nil, caused(ErrRegisterFailed, err)
		}
	}
	return response, nil
}

// start runs the start hook. When it was invoked and failed, the stop hook runs too, which may find half a
// start.
func (l *life) start(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, l.config.Deadlines.Start)
	defer cancel()
	err := l.calls.Call(within, link.Method(abi.Method_METHOD_START), l.config.Start, nil)
	if err == nil {
		return nil
	}
	stopped := l.stop()
	switch {
	case ctx.Err() != nil && stopped != nil:
		return stopped
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = ErrStartTimeout
	case errors.Is(err, link.ErrLost) && l.child.lacksThreads():
		err = ErrProcessLimit
	default:
		err = refused(ErrStartFailed, err)
	}
	return l.rolledBack(err, stopped)
}

// rolledBack adds what went wrong in the stop hook to the failure of the start. A process that died in its
// start cannot be stopped, which is no second failure.
func (l *life) rolledBack(failed, stopped error) error {
	switch {
	case stopped == nil, errors.Is(stopped, link.ErrLost):
		return failed
	case errors.Is(stopped, ErrStopTimeout):
		stopped = ErrRollbackTimeout
	}
	return errors.Join(about(l.config.ModuleID, failed), about(l.config.ModuleID, stopped))
}

// stop runs the stop hook and asks the process to go. Whoever is still there afterwards is killed by end.
func (l *life) stop() error {
	// The caller's context has ended, that is why we stop; the hook has its own time.
	within, cancel := context.WithTimeout(context.Background(), l.config.Deadlines.Stop)
	defer cancel()
	err := l.calls.Call(within, link.Method(abi.Method_METHOD_STOP), &abi.StopRequest{}, nil)
	l.child.signal(syscall.SIGTERM)
	l.child.exitedWithin(l.config.Deadlines.Terminate)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return ErrStopTimeout
	case errors.Is(err, link.ErrLost):
		return caused(ErrStopFailed, link.ErrLost)
	default:
		return refused(ErrStopFailed, err)
	}
}

// openHost begins to answer the module. The link outlives the supervisor's context: the stop hook may need
// the host.
func (l *life) openHost() {
	l.session = l.config.Host.Open()
	l.hostLost = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	l.stopHost = cancel
	go func() {
		defer close(l.hostLost)
		l.hostErr = link.Serve(ctx, l.child.moduleCalls, l.session.Serve, inService, link.Charge(l.config.Memory))
	}()
}

// end leaves nothing: processes, then calls in flight, which their lost link returns, then what the host
// held for it.
func (l *life) end() {
	l.child.end()
	_ = l.calls.Close()
	if l.session == nil {
		_ = l.child.moduleCalls.Close()
	} else {
		l.stopHost()
		<-l.hostLost
		l.session.Close()
	}
	l.inFlight.Wait()
}

// refused keeps a module's own failure code as the cause, and nothing else: any other cause is the code
// itself.
func refused(code Error, err error) error {
	var failure *link.Failure
	if errors.As(err, &failure) {
		return caused(code, errors.New(failure.CodeText))
	}
	return code
}
