package authorization

import "github.com/narthex-platform/narthex/services/httpapi"

// The errors of NewRegistry. A duplicate in a manifest is found earlier, when the modules are discovered, and
// reported with more details.
const (
	ErrPermissionDuplicate = httpapi.Error("PERMISSION_DUPLICATE")
	ErrPermissionInvalid   = httpapi.Error("PERMISSION_INVALID")
)

// The error codes of the routes about grants, in addition to the pipeline's (docs/reference/error-codes.md).
// After each of them nothing was written.
const (
	ErrPermissionUnknown = httpapi.Error("PERMISSION_UNKNOWN") // 400: nobody declared the permission
	ErrUserNotFound      = httpapi.Error("USER_NOT_FOUND")     // 404
	ErrGrantNotFound     = httpapi.Error("GRANT_NOT_FOUND")    // 404
	// 409: an equivalent grant is effective
	ErrGrantExists = httpapi.Error("AUTHORIZATION_GRANT_ALREADY_EXISTS")
)
