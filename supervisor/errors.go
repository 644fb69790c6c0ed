package supervisor

import "errors"

// Error is a stable code that callers may see; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrStartTimeout: a service was not ready within Child.ReadyWithin, and its Child names no code of its own.
	ErrStartTimeout = Error("SERVICE_START_TIMEOUT")
	// ErrStopTimeout: a service did not end within Child.StopWithin, and its Child names no code of its own.
	ErrStopTimeout = Error("SERVICE_STOP_TIMEOUT")
	// ErrPanicked: a service panicked. The panic's value is not kept.
	ErrPanicked = Error("SERVICE_PANICKED")
	// ErrEnded: a service returned nil without having been asked to stop.
	ErrEnded = Error("SERVICE_ENDED")
	// ErrFailed: a service failed with an error that has no code; that error is the cause.
	ErrFailed = Error("SERVICE_FAILED")
	// ErrStartCancelled: the context of Start ended first; its cause is wrapped.
	ErrStartCancelled = Error("SERVICE_START_CANCELLED")
	// ErrTreeStopped: Start was called on a tree that has stopped, or Stop was called during Start.
	ErrTreeStopped = Error("SUPERVISOR_STOPPED")
	// ErrTreeEnded: a service was cancelled though the tree had not asked for it: the supervision itself has
	// failed.
	ErrTreeEnded = Error("SUPERVISOR_ENDED")
)

// Failure is an error that the tree itself detected at one service.
type Failure struct {
	Service string // the service's String
	Reason  Error  // one of this package's codes, or the code that the Child names
	Cause   error  // the service's own error, nil when there is none

	sentence string
}

// Error returns "CODE: service sentence". It leaves the cause out, because an error without a code may
// contain secrets.
func (f *Failure) Error() string { return string(f.Reason) + ": " + f.Service + " " + f.sentence }

// Code returns the stable code of the reason.
func (f *Failure) Code() string { return f.Reason.Code() }

// Unwrap returns the reason, then the cause if there is one.
func (f *Failure) Unwrap() []error {
	if f.Cause == nil {
		return []error{f.Reason}
	}
	return []error{f.Reason, f.Cause}
}

// coded is an error whose code may be shown to callers.
type coded interface {
	error
	Code() string
}

// codeOf returns the first code in err's chain, "" when there is none.
func codeOf(err error) string {
	if c, ok := errors.AsType[coded](err); ok {
		return c.Code()
	}
	return ""
}
