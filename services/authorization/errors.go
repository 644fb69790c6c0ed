package authorization

// Error is a stable code. A cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The errors of NewRegistry. A duplicate in a manifest is found earlier, when the modules are discovered, and
// reported with more details.
const (
	ErrPermissionDuplicate = Error("PERMISSION_DUPLICATE")
	ErrPermissionInvalid   = Error("PERMISSION_INVALID")
)

// The error codes of the routes about grants, in addition to the pipeline's (docs/reference/error-codes.md).
// After each of them nothing was written.
const (
	ErrPermissionUnknown = Error("PERMISSION_UNKNOWN")                 // 400: nobody declared the permission
	ErrUserNotFound      = Error("USER_NOT_FOUND")                     // 404
	ErrGrantNotFound     = Error("GRANT_NOT_FOUND")                    // 404
	ErrGrantExists       = Error("AUTHORIZATION_GRANT_ALREADY_EXISTS") // 409: an equivalent grant is effective
)
