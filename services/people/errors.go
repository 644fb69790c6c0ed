package people

import (
	"time"
)

// Error is a stable code. A cause is wrapped beside it.
type Error string

// Error returns the code and a sentence for operators. It never contains a value.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The error codes of this package (docs/reference/error-codes.md). After each of them nothing was written.
const (
	ErrUserNotFound       = Error("USER_NOT_FOUND")
	ErrExists             = Error("PERSON_ALREADY_EXISTS") // an account has the address
	ErrProtected          = Error("PERSON_PROTECTED")      // the owner, or the caller
	ErrErased             = Error("PERSON_ERASED")
	ErrActive             = Error("PERSON_ACTIVE")        // only a deactivated person can be erased
	ErrInvitationNotFound = Error("INVITATION_NOT_FOUND") // the response does not reveal why a token fails
	ErrInvitationNotOpen  = Error("INVITATION_NOT_OPEN")  // accepted or withdrawn, or its address is forgotten
	ErrInvitationAccepted = Error("INVITATION_ALREADY_ACCEPTED")
	ErrPermissionUnknown  = Error("PERMISSION_UNKNOWN")
	ErrReminderNotNeeded  = Error("REMINDER_NOT_NEEDED") // the person has a passkey, or cannot sign in
)

func (e Error) sentence() string {
	switch e {
	case ErrUserNotFound:
		return "Nobody has this address or id."
	case ErrExists:
		return "Somebody with this address has an account already; nothing was changed."
	case ErrProtected:
		return "This person owns the platform; authorization:transfer-owner makes another person the owner first."
	case ErrErased:
		return "This person was erased, for ever."
	case ErrActive:
		return "Only somebody deactivated can be erased; nothing was changed."
	}
	return "Nothing was changed."
}

// tooMany is 429 TOO_MANY_REQUESTS.
type tooMany struct{ wait time.Duration }

func (tooMany) Error() string { return "TOO_MANY_REQUESTS" }
func (tooMany) Code() string  { return "TOO_MANY_REQUESTS" }
