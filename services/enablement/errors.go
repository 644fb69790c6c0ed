package enablement

import (
	"fmt"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// The codes of this package.
const (
	// ErrRead fails a start whose enablement configuration cannot be read; nothing is created or repaired.
	ErrRead = Error("MODULE_LIFECYCLE_READ_FAILED")
	// ErrNotInstalled is 404: this process did not discover the module; nothing was written.
	ErrNotInstalled = Error("MODULE_NOT_INSTALLED")
)

// Error is the line for people: code, then what is wrong.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	if e == ErrNotInstalled {
		return "No such module is installed."
	}
	return "The stored decisions about modules cannot be read."
}

// unavailable is what a handler says of a store that failed.
func unavailable(err error) error { return fmt.Errorf("%w: %w", httpapi.ErrStore, err) }
