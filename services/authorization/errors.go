package authorization

import (
	"fmt"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Error is a stable code; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// What stops the composition of a registry. Discovery reports the first of them earlier and in more words
// (contract.md §7).
const (
	ErrPermissionDuplicate = Error("PERMISSION_DUPLICATE")
	ErrPermissionInvalid   = Error("PERMISSION_INVALID")
)

// What the routes about grants refuse with, beside the pipeline's codes; nothing was written then
// (contract.md §3).
const (
	ErrPermissionUnknown = Error("PERMISSION_UNKNOWN")                 // 400: nobody declared the permission
	ErrUserNotFound      = Error("USER_NOT_FOUND")                     // 404
	ErrGrantNotFound     = Error("GRANT_NOT_FOUND")                    // 404
	ErrGrantExists       = Error("AUTHORIZATION_GRANT_ALREADY_EXISTS") // 409: an equivalent grant is effective
)

// unavailable is what a handler says of a store that failed.
func unavailable(err error) error { return fmt.Errorf("%w: %w", httpapi.ErrStore, err) }
