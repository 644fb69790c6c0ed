package realtime

import "errors"

// Error is a stable code that callers may see; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// What a stream is refused with, before any header went out.
const (
	// ErrHandlerFailed: no snapshot within 10 s, or one that is no JSON or too large.
	ErrHandlerFailed = Error("MODULE_HANDLER_FAILED")
	// ErrUnavailable: the hub is draining, stopped, or about to be restarted.
	ErrUnavailable = Error("MODULE_UNAVAILABLE")
	// ErrOverloaded: more was published during the snapshot than a mailbox holds, or the snapshot does not fit
	// into the module's account.
	ErrOverloaded = Error("MODULE_OVERLOADED")
)

// What a publish is refused with. Its number counts all the same.
const (
	// ErrChannelUnknown: the module registered no such channel.
	ErrChannelUnknown = Error("CHANNEL_UNKNOWN")
	// ErrTooLarge: the data is longer than 64 KiB when compact, or than 8 KiB on a channel of newest values.
	ErrTooLarge = Error("TOO_LARGE")
	// ErrKey: the channel is one of newest values and the update has no key, or the other way round; or the
	// key is longer than 128 bytes or the 129th of its process.
	ErrKey = Error("KEY_INVALID")
	// ErrInvalid: the data is no JSON.
	ErrInvalid = Error("DATA_INVALID")
	// ErrHostOverloaded: the module's account is full; see Charge.
	ErrHostOverloaded = Error("HOST_OVERLOADED")
)

// coded is err where it has a code, else ErrHandlerFailed before it.
func coded(err error) error {
	if _, ok := errors.AsType[interface {
		error
		Code() string
	}](err); ok {
		return err
	}
	return errors.Join(ErrHandlerFailed, err)
}
