package navigation

import (
	"fmt"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// What the routes refuse with, beside the pipeline's codes; nothing was written then.
const (
	ErrGroupNotFound = Error("NAVIGATION_GROUP_NOT_FOUND") // 404: a module cannot be placed in it
	ErrNotInstalled  = Error("MODULE_NOT_INSTALLED")       // 404: nor was the module placed before
)

// Error is the code.
func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// unavailable is what a handler says of a store that failed.
func unavailable(err error) error { return fmt.Errorf("%w: %w", httpapi.ErrStore, err) }
