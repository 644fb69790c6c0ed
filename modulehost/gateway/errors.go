package gateway

import (
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Error is a stable code of the gateway.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The gateway's codes.
const (
	ErrHandler    = Error("MODULE_HANDLER_FAILED")
	ErrOverloaded = Error("MODULE_OVERLOADED")
)

// codeUnavailable is the code of a call while the process is down or being restarted.
const codeUnavailable = "MODULE_UNAVAILABLE"

// responseError tells a response for which the host had no memory from one that the module failed to give.
func responseError(err error) error {
	if errors.Is(err, link.ErrOverloaded) {
		return ErrOverloaded
	}
	return ErrHandler
}

// beginError passes the platform's own codes for a call that the module has not seen. Every other error is
// the handler's failure. A code that the module chose must never pass: it could be anything.
func beginError(err error) error {
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		switch coded.Code() {
		case codeUnavailable, ErrOverloaded.Code():
			return err
		}
	}
	return ErrHandler
}
