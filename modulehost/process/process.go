// Package process owns a module's child process: it starts it, communicates with it, watches it and ends it.
//
// A Process is a supervised service. Each Serve is one run of the child:
//
//	launcher (sandbox) → exec → Register (10 s) → Start (30 s) → ready → ...
//	→ Stop (10 s) → SIGTERM → 1 s → SIGKILL
//
// Everything that belongs to a run is local to Serve, ends with the run and is waited for: the child and its
// whole process group, both links, the host's session, every goroutine and every call in progress. Two facts
// outlive a run: the first registration, which later runs must repeat, and that the module was ready once.
//
// A dead child is noticed by its links and by the kernel's wait; a child that lives but hangs, by an
// unanswered ping or by a write that makes no progress. A child may be faulty or hostile: nothing that it
// sends is copied into a log or an error text, and nothing that it does may block the host.
package process

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Config configures a module's process. Executable or Script, Host and Log are required.
type Config struct {
	ModuleID, ModuleVersion string

	Executable string      // absolute path of the validated static ELF; "": this program, for a Script
	Script     string      // absolute path of a validated script, which this program runs; "": none
	Folder     string      // the module's own folder, absolute
	Credential *Credential // nil: the host's own
	Start      *abi.StartRequest
	Host       Host                // serves the module's calls to the host
	Log        *zap.Logger         // its fields already contain the module's id
	Memory     *hostmemory.Account // counts the memory of the links; nil: nothing is counted
	Priorities *Priorities         // judges the process's CPU use; nil: none
	Cgroups    *Cgroups            // gives it its own control group; nil: it stays in the host's

	// OnRegister is called with the module's registration, before the module is started (nil: no call). Its
	// error ends the run as MODULE_REGISTER_FAILED.
	OnRegister func(*abi.RegisterResponse) error
	// Verify checks the opened executable or script (fstat is allowed) before every start (nil: no check). Its
	// error ends the run as MODULE_UNAVAILABLE, because a module must not be replaced while the platform runs.
	Verify func(server *os.File) error

	Limits    Limits
	Deadlines Deadlines

	// Output gets what the module writes to standard output and error, as far as it is kept, while it writes,
	// and what the platform tells its author; nil: nobody does. It is for a developer's terminal. A Write must
	// not block.
	Output io.Writer

	// RequireSandbox is set in production. Then nothing is started if InspectSandbox().Missing() is not empty,
	// and Serve returns ErrSandboxUnavailable. If it is not set, a module runs with the parts of the sandbox
	// that this kernel has, and one warning names the missing ones.
	RequireSandbox bool

	inspect func() SandboxReport // InspectSandbox; tests replace it
}

// Credential is a module's own uid and gid; only a host that is root can use it.
type Credential struct{ UID, GID uint32 }

// Host opens one Session per run of the process.
type Host interface{ Open() Session }

// Session is the host's side of one run. It holds transactions, cursors and everything else that the run has
// opened.
type Session interface {
	// Serve serves a call of the module; see link.Handler. It must return when ctx ends, because the end of a
	// run waits for it.
	Serve(ctx context.Context, m link.Method, payload []byte) (proto.Message, error)
	// Close is called once, after the process and every Serve have ended. It releases everything that the run
	// has opened, and waits for that.
	Close()
}

// Process is one module's child process. All methods but Serve may be called concurrently and at any time.
type Process struct {
	config  Config
	ready   chan struct{}
	journal Journal
	author  *author

	mu           sync.Mutex
	registered   *abi.RegisterResponse // of the first run
	current      *run                  // nil: not ready, ending or not running
	output       *output               // of the latest run
	paused       time.Time             // no start before this time
	runningChild *child                // of the run that has begun and not ended
	status       Status                // without the running child's figures

	warned sync.Once
}

// New returns a Process with config and its defaults. It starts nothing.
func New(config Config) *Process {
	config.Limits = config.Limits.withDefaults(config.Credential)
	config.Deadlines = config.Deadlines.withDefaults()
	if config.inspect == nil {
		config.inspect = InspectSandbox
	}
	if config.Start == nil {
		config.Start = &abi.StartRequest{}
	}
	p := &Process{config: config, ready: make(chan struct{}),
		status: Status{State: Restarting, Since: time.Now()}}
	p.author = &author{journal: &p.journal, show: config.Output}
	return p
}

// String returns the service's name: "module <id>".
func (p *Process) String() string { return "module " + p.config.ModuleID }

// Ready is closed when the module's Start hook has completed for the first time. It stays closed during later
// runs.
func (p *Process) Ready() <-chan struct{} { return p.ready }

// Routes returns the registered routes, once Ready is closed; every run has the same. Do not modify them.
func (p *Process) Routes() []*abi.Route {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetRoutes()
}

// Channels returns the registered channels. See Routes.
func (p *Process) Channels() []*abi.Channel {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetChannels()
}

// Output is what the latest run wrote to standard output and error, at most its last 64 KiB, for an
// operator who looks for the cause of a crash. It may contain anything that the module has access to: never
// log it.
func (p *Process) Output() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.output == nil {
		return nil
	}
	return p.output.kept()
}

// Journal returns the output of all runs with their ends. See Output.
func (p *Process) Journal() *Journal { return &p.journal }

// Call calls the module. ctx must have a deadline. Errors:
//   - ErrUnavailable (503): the process does not run, starts or ends; the module has not received the call.
//     The error's RetryAfter returns the time until the next start.
//   - ErrHandlerFailed (500): the process was lost during the call, or the module refused it. In the second
//     case errors.As also finds the *link.Failure; its code is the module's and must have no effect.
//   - link.ErrTooLarge, link.ErrUnencodable, link.ErrNoDeadline: nothing was sent.
//   - ctx's own error: the module was asked to cancel the call.
func (p *Process) Call(ctx context.Context, m abi.Method, request, response proto.Message) error {
	l := p.enter()
	if l == nil {
		return p.unavailable()
	}
	defer l.inFlight.Done()
	err := l.calls.Call(ctx, link.Method(m), request, response)
	var refused *link.Failure
	if errors.Is(err, link.ErrLost) || errors.As(err, &refused) {
		return withCause(ErrHandlerFailed, err)
	}
	return err
}

// enter returns the current run and counts the caller in it; nil if there is no run or its link is lost.
func (p *Process) enter() *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return nil
	}
	select {
	case <-p.current.calls.Done():
		return nil
	default:
	}
	p.current.inFlight.Add(1)
	return p.current
}

// Paused stores when the process will be started again, for the Retry-After of callers.
func (p *Process) Paused(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = until
}

// unavailable returns ErrUnavailable, with the rest of the pause.
func (p *Process) unavailable() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return pausedError{p.paused}
}

// acceptCalls makes l the run that gets the calls.
func (p *Process) acceptCalls(l *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = l
	p.config.Priorities.add(l.child)
	p.setState(Ready)
	select {
	case <-p.ready:
	default:
		close(p.ready)
	}
}

// stopCalls refuses new calls.
func (p *Process) stopCalls() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.config.Priorities.remove(p.current.child)
	}
	p.current = nil
	if p.status.State == Ready {
		p.setState(Restarting)
	}
}

// matchesFirst keeps the first registration, and reports whether r equals it.
func (p *Process) matchesFirst(r *abi.RegisterResponse) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.registered == nil {
		p.registered = r
	}
	return proto.Equal(p.registered, r)
}

// Begin begins a call that may have bodies. complete sets how the bodies are sent, with the body sockets of
// the current run. Errors as for Call, and complete's own. Later the exchange returns errors of the link;
// link.ErrLost means that the process crashes.
func (p *Process) Begin(
	ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error,
) (*link.Exchange, error) {
	l := p.enter()
	if l == nil {
		return nil, p.unavailable()
	}
	defer l.inFlight.Done()
	o.Bodies = l.child.bodies
	switch err := complete(&o); {
	case errors.Is(err, link.ErrLost):
		return nil, ErrUnavailable
	case err != nil:
		return nil, err
	}
	x, err := l.calls.Begin(ctx, o)
	if errors.Is(err, link.ErrLost) {
		return nil, withCause(ErrHandlerFailed, err)
	}
	return x, err
}

// TakeLane lends a lane of the current run for a request's body; see link.Bodies. nil: there is none.
func (p *Process) TakeLane(bytes int) *link.LaneBody {
	l := p.enter()
	if l == nil {
		return nil
	}
	defer l.inFlight.Done()
	return l.child.bodies.TakeLane(bytes)
}
