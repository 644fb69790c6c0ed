package process

import (
	"errors"
	"fmt"
	"time"
)

// Error is a stable code that callers may see; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrUnavailable: the process does not run, starts or ends; the module has not received the call.
	ErrUnavailable = Error("MODULE_UNAVAILABLE")
	// ErrHandlerFailed: the process was lost during the call, or the module refused the call.
	ErrHandlerFailed = Error("MODULE_HANDLER_FAILED")

	// ErrRegisterFailed: Register got no response, an invalid one, or one that differs from the first run's.
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

// pausedError is ErrUnavailable while the process waits for its next start.
type pausedError struct{ until time.Time }

func (e pausedError) Error() string { return ErrUnavailable.Error() }

func (e pausedError) Unwrap() error { return ErrUnavailable }

// RetryAfter returns the rest of the pause, for the header of that name.
func (e pausedError) RetryAfter() time.Duration { return time.Until(e.until) }

// withCause wraps a cause that is not a context's error. A caller that tests for one with errors.Is means its
// own context.
func withCause(code Error, cause error) error { return fmt.Errorf("%w: %w", code, cause) }

// Failure is why a run ended, for the platform's operator. It names the module and contains nothing that the
// module sent.
type Failure struct {
	ModuleID string
	Reason   Error
	cause    error
}

// Error returns "CODE: The module <id> ...".
func (f *Failure) Error() string {
	return f.Reason.Code() + ": The module " + f.ModuleID + " " + f.sentence()
}

// Code returns the code of the reason.
func (f *Failure) Code() string { return f.Reason.Code() }

func (f *Failure) Unwrap() error { return f.cause }

// nameModule adds the module's id to an error of this package. It does not change other errors and those that
// already have it.
func nameModule(moduleID string, err error) error {
	reason, coded := errors.AsType[Error](err)
	if _, named := errors.AsType[*Failure](err); !coded || named {
		return err
	}
	return &Failure{ModuleID: moduleID, Reason: reason, cause: err}
}

func (f *Failure) diedInStart(died death) string {
	how := "lost its process in its start hook"
	if died.status >= 0 {
		how = fmt.Sprintf("exited with status %d in its start hook instead of returning from it (os.Exit, "+
			"log.Fatal or a panic in a goroutine)", died.status)
	}
	return how + "; its lines in the log may say why. The platform starts without it after: " +
		"narthex modules:disable --module " + f.ModuleID + "."
}

func (f *Failure) sentence() string {
	switch {
	case errors.Is(f.cause, errNoDescriptor):
		return "could not be started, because the platform has no file descriptor left; raise its limit " +
			"(LimitNOFILE=, ulimit -n)."
	case errors.Is(f.cause, errNotStarted):
		return "could not be started; the log has the operating system's reason."
	case errors.Is(f.cause, errDynamic):
		return "is a script, which the platform's own program runs in the sandbox; this program was linked " +
			"dynamically, so it cannot be executed there: build it with CGO_ENABLED=0."
	case errors.Is(f.cause, errRefused):
		return "could not be executed by the user that it runs as; make its folder and its files readable for " +
			"all and its program executable (chmod -R a+rX), on a file system that is not mounted noexec."
	case errors.Is(f.cause, errNotExecuted):
		return "could not be executed, because this machine does not run its program."
	}
	if died, ok := errors.AsType[death](f.cause); ok && f.Reason == ErrStartFailed {
		return f.diedInStart(died)
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
