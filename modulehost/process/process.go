// Package process owns a module's child process: how it is started, spoken with, watched and ended.
//
// A Process is a supervised service. Each Serve is one run of the child:
//
//	launcher (sandbox) → exec → Register (10 s) → Start (30 s) → ready → ...
//	→ Stop (10 s) → SIGTERM → 1 s → SIGKILL
//
// Everything that belongs to a run is a local of Serve, ends with it and is waited for: the child and its
// whole process group, both links, the host's session, every goroutine and every call in flight. Two facts
// outlive a run: what the first one registered, which later ones must repeat, and that the module was
// ready once.
//
// A child that dies is noticed by its links and by the kernel's wait; a child that lives but hangs by an
// unanswered ping or a write that does not move. It may be wrong or hostile: nothing it says reaches a log
// or an error text, and nothing it does may block the host.
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

// Config is what a module's process needs. Executable, Host and Log are required.
type Config struct {
	ModuleID, ModuleVersion string

	Executable string      // absolute path of the validated static ELF
	Folder     string      // the module's own folder, absolute
	Credential *Credential // nil: the host's own
	Start      *abi.StartRequest
	Host       Host                // what the module may ask of the host
	Log        *zap.Logger         // names the module in its fields already
	Memory     *hostmemory.Account // counts what the links hold; nil: nothing is counted
	Priorities *Priorities         // judges how it uses the CPU; nil: nobody does
	Cgroups    *Cgroups            // gives it a control group; nil: it stays in the host's

	// Validate judges what the module registered (nil: anything goes). Its error ends the run as
	// MODULE_REGISTER_FAILED.
	Validate func(*abi.RegisterResponse) error
	// Verify judges the opened executable (an O_PATH descriptor, good for fstat) before every start (nil: no
	// check). Its error ends the run as MODULE_UNAVAILABLE: a changed file is no hot installation.
	Verify func(executable *os.File) error

	Limits    Limits
	Deadlines Deadlines

	// Output gets what the module writes to standard output and error, as far as it is kept, while it writes;
	// nil: nobody does. It is for a developer's terminal. A Write must not block.
	Output io.Writer

	// RequireSandbox is for production: where InspectSandbox().Missing() is not empty, nothing is started and
	// Serve returns ErrSandboxUnavailable. Without it a module runs with the parts that this kernel has, and one
	// warning names the missing ones.
	RequireSandbox bool

	inspect func() SandboxReport // InspectSandbox; tests remove parts
}

// Credential is the uid and gid of a module's own; the host must be root to give one away.
type Credential struct{ UID, GID uint32 }

// Host opens one Session per run of the process.
type Host interface{ Open() Session }

// Session is the host's side of one run: transactions, cursors, whatever the module holds.
type Session interface {
	// Serve answers a call of the module; see link.Handler. It must heed ctx: the end of a run waits for it.
	Serve(ctx context.Context, m link.Method, payload []byte) (proto.Message, error)
	// Close is called once, after the process and every Serve have ended. It gives back what is still held,
	// and waits.
	Close()
}

// Process is one module's child process. All methods but Serve may be called concurrently and at any time.
type Process struct {
	config  Config
	ready   chan struct{}
	journal Journal

	mu           sync.Mutex
	registered   *abi.RegisterResponse // of the first run
	current      *run                  // nil: not ready, ending or down
	output       *output               // of the latest run
	paused       time.Time             // until when it is not started again
	runningChild *child                // of the run that is begun and not ended
	status       Status                // without the living child's figures

	warned sync.Once
}

// New does nothing but remember config, with its defaults.
func New(config Config) *Process {
	config.Limits = config.Limits.withDefaults(config.Credential)
	config.Deadlines = config.Deadlines.withDefaults()
	if config.inspect == nil {
		config.inspect = InspectSandbox
	}
	if config.Start == nil {
		config.Start = &abi.StartRequest{}
	}
	return &Process{config: config, ready: make(chan struct{}),
		status: Status{State: Restarting, Since: time.Now()}}
}

// String is the service's name: "module <id>".
func (p *Process) String() string { return "module " + p.config.ModuleID }

// Ready is closed once the module's Start hook has completed for the first time; it stays closed through
// later runs.
func (p *Process) Ready() <-chan struct{} { return p.ready }

// Routes are what the module registered, after ready; the same for every run. Not to be changed.
func (p *Process) Routes() []*abi.Route {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetRoutes()
}

// Channels are what the module registered, as Routes.
func (p *Process) Channels() []*abi.Channel {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetChannels()
}

// Output is what the latest run wrote to standard output and error, at most its last 64 KiB, for an
// operator's autopsy. It may hold anything the module knows: never log it.
func (p *Process) Output() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.output == nil {
		return nil
	}
	return p.output.kept()
}

// Journal is what all runs wrote, and how they ended. See Output.
func (p *Process) Journal() *Journal { return &p.journal }

// Call calls the module. ctx needs a deadline. Errors:
//   - ErrUnavailable (503): the process is down, starting or ending; the module has not seen the call. The
//     error's RetryAfter tells when the process is started again.
//   - ErrHandlerFailed (500): the process was lost with the call in flight, or the module refused it; then
//     errors.As also finds the *link.Failure, whose code is the module's own word and decides nothing.
//   - link.ErrTooLarge, link.ErrUnencodable, link.ErrNoDeadline: nothing was sent.
//   - ctx's own error: the module was told to cancel.
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

// enter takes part in the current run, unless its link is lost already.
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

// Paused notes when the process will be started again, for the Retry-After of callers.
func (p *Process) Paused(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = until
}

// unavailable is ErrUnavailable, with the rest of the pause.
func (p *Process) unavailable() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return pausedError{p.paused}
}

// acceptCalls makes a run the one that is called.
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

// stopCalls lets no new call in.
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

// matchesFirst keeps the first registration and reports whether this one is the same.
func (p *Process) matchesFirst(r *abi.RegisterResponse) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.registered == nil {
		p.registered = r
	}
	return proto.Equal(p.registered, r)
}

// Begin begins a call that may have bodies; complete fills in where they travel, from the sockets of the
// run that is called. Errors as Call's, and complete's own. What later happens to the exchange is reported by
// the link's errors: link.ErrLost is a crash under way.
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
