// Package enablement owns the stored decision whether a module may run (spec.md § Configured enablement). No record means enabled; a
// record of a module that is not deployed is retained and ignored.
package enablement

// Error is a stable code of this package.
type Error string

func (e Error) Error() string {
	return string(e) + ": The stored decisions about modules cannot be read."
}

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// ErrRead fails a start whose enablement configuration cannot be read; nothing is created or repaired.
const ErrRead = Error("MODULE_LIFECYCLE_READ_FAILED")

// Decisions is what was stored when it was read.
type Decisions map[string]bool

// Enabled tells whether a module may run, by its decision or by the default.
func (d Decisions) Enabled(moduleID string) bool {
	enabled, decided := d[moduleID]
	return enabled || !decided
}
