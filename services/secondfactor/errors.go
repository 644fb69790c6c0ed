package secondfactor

import (
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The codes of this package (docs/reference/error-codes.md).
const (
	// ErrInvalid: the passkey or the recovery code was not accepted, or no sign-in waits for it. Nobody learns
	// which.
	ErrInvalid = httpapi.Error("SECOND_FACTOR_INVALID")
	// ErrRecentSignIn: the session began more than ten minutes ago.
	ErrRecentSignIn = httpapi.Error("RECENT_SIGN_IN_REQUIRED")
	// ErrLimit: the person has ten passkeys.
	ErrLimit = httpapi.Error("SECOND_FACTOR_LIMIT")
	// ErrUnavailable: browsers have no passkeys for the address of the Dashboard, which is no name.
	ErrUnavailable = httpapi.Error("SECOND_FACTOR_UNAVAILABLE")
)

// tooMany is 429 TOO_MANY_REQUESTS: too many answers were wrong.
type tooMany struct{ wait time.Duration }

func (tooMany) Error() string { return "TOO_MANY_REQUESTS" }
func (tooMany) Code() string  { return "TOO_MANY_REQUESTS" }
