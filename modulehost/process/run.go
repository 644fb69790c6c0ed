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

// run is one run of the child, from its start until everything of it is released.
type run struct {
	config    *Config
	began     time.Time
	child     *child
	calls     *link.Client    // host → module
	diedFirst bool            // the child ended before the host killed it
	overdue   bool            // the host ends it because a deadline has passed
	stuck     <-chan struct{} // closed when too many abandoned calls do not end
	inFlight  sync.WaitGroup

	session  Session       // module → host, after the registration was accepted; nil before
	stopHost func()        // ends the session's link
	hostLost chan struct{} // closed when the session's link has ended
	hostErr  error         // why it ended; set before hostLost is closed
}

// Serve is one run of the child. It blocks until ctx ends; then it stops the module and returns ctx's error,
// ErrStopTimeout or ErrStopFailed. If the run ends otherwise, Serve returns the code of the cause. It may be
// called again after it has returned, which begins another run, but not concurrently.
func (p *Process) Serve(ctx context.Context) error {
	sandbox := p.config.inspect()
	if err := p.checkSandbox(sandbox); err != nil {
		return nameModule(p.config.ModuleID, err)
	}
	child, err := startChild(&p.config, sandbox, p.author)
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

// notStarted logs only the errno's text of the operating system's error, because the rest may contain a path.
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
	errRefused      = errors.New("the launcher may not execute the program")
	errDynamic      = errors.New("the platform's own program is linked dynamically")
	errNotExecuted  = errors.New("the launcher could not execute the program")
)

// execute runs the child until the run ends, and returns the reason. end releases the resources.
func (p *Process) execute(ctx context.Context, l *run) error {
	registered, err := l.register(ctx)
	if err != nil {
		return err
	}
	l.child.raiseOOMScore()
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

// register makes the handshake. The host serves no call of the module before the registration is accepted.
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
		return nil, l.child.launchFailure(l.config)
	case err != nil:
		l.overdue = errors.Is(err, context.DeadlineExceeded)
		return nil, moduleRefused(ErrRegisterFailed, err)
	case response.Abi != abi.Version:
		l.config.Log.Error("module registration refused", zap.String("reason", fmt.Sprintf("the module was "+
			"built for ABI %d and this platform speaks ABI %d; build it again with this platform's SDK",
			response.Abi, abi.Version)))
		return nil, withCause(ErrRegisterFailed, errABI)
	case l.config.OnRegister != nil:
		if err := l.config.OnRegister(response); err != nil {
			// The reason is the host's own text about the registration. Without it an author could not find the
			// mistake.
			l.config.Log.Error("module registration refused", zap.String("reason", err.Error()))
			l.child.output.author.journal.write([]byte("error: Register: " + err.Error() + "\n"))
			return nil, withCause(ErrRegisterFailed, err)
		}
	}
	if response.BodyLanes { // in this run; a later one may have no memory for lanes
		response.BodyLanes = false
		l.child.useLanes()
	}
	return response, nil
}

// start calls the Start hook. If the hook was called and failed, start also calls the Stop hook, which may
// find a module that is only partly started.
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
	case errors.Is(err, link.ErrLost):
		err = withCause(ErrStartFailed, l.child.whyDied())
	default:
		err = moduleRefused(ErrStartFailed, err)
	}
	return l.rolledBack(err, stopped)
}

// rolledBack adds the failure of the Stop hook to the failure of the start. If the process died in its start,
// it cannot be stopped, and that is not a second failure.
func (l *run) rolledBack(failed, stopped error) error {
	switch {
	case stopped == nil, errors.Is(stopped, link.ErrLost):
		return failed
	case errors.Is(stopped, ErrStopTimeout):
		stopped = ErrRollbackTimeout
	}
	return errors.Join(nameModule(l.config.ModuleID, failed), nameModule(l.config.ModuleID, stopped))
}

// stop calls the Stop hook and sends SIGTERM. end kills the processes that are left.
func (l *run) stop() error {
	// The caller's context has ended, which is why the run stops. The hook has its own deadline.
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

// openHost begins to serve the module's calls. Its link outlives the supervisor's context, because the Stop
// hook may call the host.
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

// end releases everything in order: it kills the processes, ends the calls in progress by closing their link,
// and closes the host's session.
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

// moduleRefused returns code. If the error is a failure that the module returned, the cause is the failure's
// code and nothing else.
func moduleRefused(code Error, err error) error {
	var failure *link.Failure
	if errors.As(err, &failure) {
		return withCause(code, errors.New(failure.CodeText))
	}
	return code
}
