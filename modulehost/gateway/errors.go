package gateway

import (
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// The gateway's codes.
const (
	ErrHandler    = httpapi.Error("MODULE_HANDLER_FAILED")
	ErrOverloaded = httpapi.Error("MODULE_OVERLOADED")
)

// codeUnavailable is the code of a call while the process does not run.
const codeUnavailable = "MODULE_UNAVAILABLE"

// responseError distinguishes a response for which the host had no memory from one that the module failed to
// send.
func responseError(err error) error {
	if errors.Is(err, link.ErrOverloaded) {
		return ErrOverloaded
	}
	return ErrHandler
}

// beginError returns the platform's own codes for a call that the module has not received. Every other error
// is ErrHandler. A code that the module has chosen must never be returned, because it could be anything.
func beginError(err error) error {
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		switch coded.Code() {
		case codeUnavailable, ErrOverloaded.Code():
			return err
		}
	}
	return ErrHandler
}
