package process

import "fmt"

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

	// ErrRegisterFailed: no or a wrong answer to Register, or one that differs from the first life's.
	ErrRegisterFailed = Error("MODULE_REGISTER_FAILED")
	// ErrStartFailed: the start hook failed, or the process died in it.
	ErrStartFailed = Error("MODULE_START_FAILED")
	// ErrStartTimeout: the start hook did not end in time.
	ErrStartTimeout = Error("MODULE_START_TIMEOUT")
	// ErrSandboxUnavailable: a wall of the sandbox could not be applied.
	ErrSandboxUnavailable = Error("MODULE_SANDBOX_UNAVAILABLE")
	// ErrCrashed: the process died or hung after ready.
	ErrCrashed = Error("MODULE_CRASHED")
	// ErrStopTimeout: the stop hook did not end in time.
	ErrStopTimeout = Error("MODULE_STOP_TIMEOUT")
	// ErrStopFailed: the stop hook failed, or the process died in it.
	ErrStopFailed = Error("MODULE_STOP_FAILED")
)

// caused is for causes that are not a context's error: whoever asks errors.Is for one means his own context.
func caused(code Error, cause error) error { return fmt.Errorf("%w: %w", code, cause) }
