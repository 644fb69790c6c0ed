package identity

// Error is a stable code of an operator's command. A cause is wrapped beside it.
type Error string

// Error returns the code and a sentence that tells the operator what to do. It never contains a value.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes of identity:create-initial-owner, authorization:bootstrap-owner and
// authorization:transfer-owner. After each of them nothing was written, with one exception:
// STORE_UNAVAILABLE can mean that the connection was lost after a successful commit.
const (
	ErrOwnerExists       = Error("OWNER_ALREADY_EXISTS")
	ErrOwnerMissing      = Error("OWNER_MISSING")
	ErrNotFound          = Error("IDENTITY_NOT_FOUND")
	ErrWithoutCredential = Error("IDENTITY_WITHOUT_CREDENTIAL")
	ErrDeactivated       = Error("IDENTITY_DEACTIVATED")
	ErrEmail             = Error("EMAIL_INVALID")
	ErrName              = Error("NAME_INVALID")
	ErrPassword          = Error("PASSWORD_INVALID")
	ErrStore             = Error("STORE_UNAVAILABLE")
)

func (e Error) sentence() string {
	switch e {
	case ErrOwnerExists:
		return "This installation already has an owner; nothing was changed."
	case ErrOwnerMissing:
		return "This installation has no owner yet; authorization:bootstrap-owner makes an existing person the " +
			"first one."
	case ErrNotFound:
		return "Nobody has this address or id; identity:create-initial-owner can create the first person."
	case ErrWithoutCredential:
		return "There is an identity with this address, but it has no password; nothing was changed."
	case ErrDeactivated:
		return "This person is deactivated; identity:reactivate lets them in again. Nothing was changed."
	case ErrEmail:
		return "The address must look like name@example.org and have at most 254 characters, 64 of them before " +
			"the @."
	case ErrName:
		return "The name must have at most 200 characters and no control characters."
	case ErrPassword:
		return "The password must have 8 to 128 characters."
	case ErrStore:
		return "The database did not answer as expected; run the command again to see what was done."
	}
	return "Nothing was changed; docs/reference/error-codes.md says what this code means."
}
