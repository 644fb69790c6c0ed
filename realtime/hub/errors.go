package hub

import (
	"errors"

	"github.com/narthex-platform/narthex/realtime/update"
)

// Errors that refuse a stream. No header has been sent then.
const (
	// ErrHandlerFailed: there was no snapshot within 10 s, or it is not JSON or too large.
	ErrHandlerFailed = update.Error("MODULE_HANDLER_FAILED")
	// ErrUnavailable: the hub drains, has stopped, or is about to be restarted.
	ErrUnavailable = update.Error("MODULE_UNAVAILABLE")
	// ErrOverloaded: more updates were published during the snapshot than a mailbox holds, or the snapshot does
	// not fit into the module's account.
	ErrOverloaded = update.Error("MODULE_OVERLOADED")
)

// Errors that refuse a publish. Its number counts nevertheless.
const (
	// ErrChannelUnknown: the module registered no such channel.
	ErrChannelUnknown = update.Error("CHANNEL_UNKNOWN")
	// ErrTooLarge: the data is longer than 64 KiB when compact, or than 8 KiB on a LatestChannel.
	ErrTooLarge = update.ErrTooLarge
	// ErrKey: a key is missing on a LatestChannel or given on another one; or the key is longer than 128 bytes
	// or the 129th of its process.
	ErrKey = update.Error("KEY_INVALID")
	// ErrInvalid: the data is not JSON.
	ErrInvalid = update.ErrInvalid
	// ErrHostOverloaded: the module's account is full; see Charge.
	ErrHostOverloaded = update.Error("HOST_OVERLOADED")
)

// coded returns err if it has a code, else err wrapped in ErrHandlerFailed.
func coded(err error) error {
	if _, ok := errors.AsType[interface {
		error
		Code() string
	}](err); ok {
		return err
	}
	return errors.Join(ErrHandlerFailed, err)
}
