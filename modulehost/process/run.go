package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// run is one run of the child, from its start until nothing of it is left.
type run struct {
	config    *Config
	began     time.Time
	child     *child
	calls     *link.Client    // host → module
	diedFirst bool            // it ended before the host killed it
	overdue   bool            // the host ends it because it was too late with something
	stuck     <-chan struct{} // closed when too many abandoned calls do not end
	inFlight  sync.WaitGroup

	session  Session       // module → host, from the moment the registration was accepted; nil before
	stopHost func()        // ends session's link
	hostLost chan struct{} // closed when session's link has ended
	hostErr  error         // after hostLost: why
}

// Serve is one run of the child. It blocks until ctx ends, then stops the module and returns ctx's error,
// or ErrStopTimeout or ErrStopFailed; or until the run ends otherwise, with the code of what went wrong.
// It may be called again after it returned, which begins another run, but not concurrently.
func (p *Process) Serve(ctx context.Context) error {
	sandbox := p.config.inspect()
	if err := p.checkSandbox(sandbox); err != nil {
		return nameModule(p.config.ModuleID, err)
	}
	child, err := startChild(&p.config, sandbox, &p.journal)
	if err != nil {
		return nameModule(p.config.ModuleID, p.notStarted(err))
	}
	p.began(child)
	l := &run{config: &p.config, began: time.Now(), child: child,
		calls: link.NewClient(child.hostCalls, link.Charge(p.config.Memory))}
	l.stuck = l.calls.WatchAbandoned(mostStuck, p.config.Deadlines.Stuck)
	err = p.execute(ctx, l)
	p.stopCalls()
	l.diedFirst = !l.overdue && l.child.exitedWithin(p.config.Deadlines.Exit)
	l.end()
	p.ended(l, err)
	l.report(err)
	return nameModule(p.config.ModuleID, err)
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
		return withCause(ErrProcessLimit, errNoDescriptor)
	}
	return withCause(ErrRegisterFailed, errNotStarted)
}

var (
	errNoDescriptor = errors.New("the platform has no descriptor left")
	errNotStarted   = errors.New("the process was not started")
)

// execute runs the child until the run ends, and returns the reason. end releases what is left.
func (p *Process) execute(ctx context.Context, l *run) error {
	registered, err := l.register(ctx)
	if err != nil {
		return err
	}
	if !p.matchesFirst(registered) {
		return withCause(ErrRegisterFailed, errOtherRegistration)
	}
	l.openHost()
	if err := l.start(ctx); err != nil {
		return err
	}
	p.acceptCalls(l)
	l.config.Log.Info("module ready", zap.Duration("after", time.Since(l.began)))
	if reason := l.watch(ctx); reason != "" {
		l.overdue = reason == reasonPing || reason == reasonStuck
		l.config.Log.Warn("module process lost", zap.String("reason", reason))
		return ErrCrashed
	}
	p.stopCalls()
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
func (l *run) register(ctx context.Context) (*abi.RegisterResponse, error) {
	within, cancel := context.WithTimeout(ctx, l.config.Deadlines.Register)
	defer cancel()
	response := &abi.RegisterResponse{}
	err := l.calls.Call(within, link.Method(abi.Method_METHOD_REGISTER), &abi.RegisterRequest{
		Abi:             abi.Version,
		ModuleId:        l.config.ModuleID,
		ModuleVersion:   l.config.ModuleVersion,
		PlatformVersion: abi.PlatformVersion,
		BodyLanes:       l.child.offeredLanes(),
	}, response)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, link.ErrLost):
		return nil, l.child.launchFailure()
	case err != nil:
		l.overdue = errors.Is(err, context.DeadlineExceeded)
		return nil, moduleRefused(ErrRegisterFailed, err)
	case response.Abi != abi.Version:
		l.config.Log.Error("module registration refused", zap.String("reason", fmt.Sprintf("the module was "+
			"built for ABI %d and this platform speaks ABI %d; build it again with this platform's SDK",
			response.Abi, abi.Version)))
		return nil, withCause(ErrRegisterFailed, errABI)
	case l.config.Validate != nil:
		if err := l.config.Validate(response); err != nil {
			// The host's own words about what was registered: without them an author would search in the dark.
			l.config.Log.Error("module registration refused", zap.String("reason", err.Error()))
			return nil, withCause(ErrRegisterFailed, err)
		}
	}
	if response.BodyLanes { // in this run; another may have no room for them
		response.BodyLanes = false
		l.child.useLanes()
	}
	return response, nil
}

// start runs the start hook. When it was invoked and failed, the stop hook runs too, which may find half a
// start.
func (l *run) start(ctx context.Context) error {
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
		err = moduleRefused(ErrStartFailed, err)
	}
	return l.rolledBack(err, stopped)
}

// rolledBack adds what went wrong in the stop hook to the failure of the start. A process that died in its
// start cannot be stopped, which is no second failure.
func (l *run) rolledBack(failed, stopped error) error {
	switch {
	case stopped == nil, errors.Is(stopped, link.ErrLost):
		return failed
	case errors.Is(stopped, ErrStopTimeout):
		stopped = ErrRollbackTimeout
	}
	return errors.Join(nameModule(l.config.ModuleID, failed), nameModule(l.config.ModuleID, stopped))
}

// stop runs the stop hook and asks the process to go. end kills the processes that are left.
func (l *run) stop() error {
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
		return withCause(ErrStopFailed, link.ErrLost)
	default:
		return moduleRefused(ErrStopFailed, err)
	}
}

// openHost begins to answer the module. The link outlives the supervisor's context: the stop hook may need
// the host.
func (l *run) openHost() {
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
func (l *run) end() {
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

// moduleRefused keeps a module's own failure code as the cause, and nothing else: any other cause is the code
// itself.
func moduleRefused(code Error, err error) error {
	var failure *link.Failure
	if errors.As(err, &failure) {
		return withCause(code, errors.New(failure.CodeText))
	}
	return code
}
