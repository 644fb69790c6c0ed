package process

import (
	"errors"
	"fmt"
	"time"
)

// Error is a stable code that callers may see; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code is the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrUnavailable: the process is down, starting or ending; the module has not seen the call.
	ErrUnavailable = Error("MODULE_UNAVAILABLE")
	// ErrHandlerFailed: the process was lost while the call was in flight, or the module refused the call.
	ErrHandlerFailed = Error("MODULE_HANDLER_FAILED")

	// ErrRegisterFailed: no or a wrong response to Register, or one that differs from the first run's.
	ErrRegisterFailed = Error("MODULE_REGISTER_FAILED")
	// ErrStartFailed: the start hook failed, or the process died in it.
	ErrStartFailed = Error("MODULE_START_FAILED")
	// ErrStartTimeout: the start hook did not end in time.
	ErrStartTimeout = Error("MODULE_START_TIMEOUT")
	// ErrSandboxUnavailable: a step of the sandbox could not be applied.
	ErrSandboxUnavailable = Error("MODULE_SANDBOX_UNAVAILABLE")
	// ErrProcessLimit: the operating system refused a process or a thread.
	ErrProcessLimit = Error("MODULE_PROCESS_LIMIT")
	// ErrCrashed: the process died or hung after ready.
	ErrCrashed = Error("MODULE_CRASHED")
	// ErrStopTimeout: the stop hook did not end in time.
	ErrStopTimeout = Error("MODULE_STOP_TIMEOUT")
	// ErrRollbackTimeout: the stop hook of a module whose start failed did not end in time.
	ErrRollbackTimeout = Error("MODULE_ROLLBACK_TIMEOUT")
	// ErrStopFailed: the stop hook failed, or the process died in it.
	ErrStopFailed = Error("MODULE_STOP_FAILED")
)

// pausedError is ErrUnavailable of a process that is started again later.
type pausedError struct{ until time.Time }

func (e pausedError) Error() string { return ErrUnavailable.Error() }

func (e pausedError) Unwrap() error { return ErrUnavailable }

// RetryAfter is how long the pause still lasts, for the header of that name.
func (e pausedError) RetryAfter() time.Duration { return time.Until(e.until) }

// withCause is for causes that are not a context's error: a caller that asks errors.Is for one means its own
// context.
func withCause(code Error, cause error) error { return fmt.Errorf("%w: %w", code, cause) }

// Failure is why a run ended, for the platform's operator: it names the module, and nothing that the
// module said.
type Failure struct {
	ModuleID string
	Reason   Error
	cause    error
}

// Error is "CODE: The module <id> ...".
func (f *Failure) Error() string {
	return f.Reason.Code() + ": The module " + f.ModuleID + " " + f.sentence()
}

// Code is the reason's.
func (f *Failure) Code() string { return f.Reason.Code() }

func (f *Failure) Unwrap() error { return f.cause }

// nameModule names the module in an error of this package; a context's error, and one that names it already,
// stay as they are.
func nameModule(moduleID string, err error) error {
	reason, coded := errors.AsType[Error](err)
	if _, named := errors.AsType[*Failure](err); !coded || named {
		return err
	}
	return &Failure{ModuleID: moduleID, Reason: reason, cause: err}
}

func (f *Failure) sentence() string {
	switch {
	case errors.Is(f.cause, errNoDescriptor):
		return "could not be started, because the platform has no file descriptor left; raise its limit " +
			"(LimitNOFILE=, ulimit -n)."
	case errors.Is(f.cause, errNotStarted):
		return "could not be started; the log has the operating system's reason."
	}
	switch f.Reason {
	case ErrUnavailable:
		return "was changed on disk while the platform ran; restart the platform."
	case ErrRegisterFailed:
		return "did not register as it has to; check that it was built for this platform and that it registers " +
			"only what its manifest declares."
	case ErrStartFailed:
		return "failed in its start hook; its lines in the log may say why. " +
			"The platform starts without it after: narthex modules:disable --module " + f.ModuleID + "."
	case ErrStartTimeout:
		return "did not end its start hook in time. " +
			"The platform starts without it after: narthex modules:disable --module " + f.ModuleID + "."
	case ErrSandboxUnavailable:
		return "cannot be confined on this machine; a limit or a step of the sandbox could not be applied."
	case ErrProcessLimit:
		return "got no process or thread; a limit of its user or of the service is reached (ulimit -u, TasksMax)."
	case ErrStopTimeout:
		return "did not end its stop hook in time and was killed."
	case ErrRollbackTimeout:
		return "did not end its stop hook in time after its failed start and was killed."
	case ErrStopFailed:
		return "failed in its stop hook."
	}
	return "ended unexpectedly; it is started again."
}
