package enablement

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// The codes of this package.
const (
	// ErrRead ends a start whose stored decisions cannot be read. Nothing is created or repaired.
	ErrRead = Error("MODULE_LIFECYCLE_READ_FAILED")
	// ErrNotInstalled is 404: this process did not discover the module; nothing was written.
	ErrNotInstalled = Error("MODULE_NOT_INSTALLED")
)

// Error returns the code and a sentence that explains it.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	if e == ErrNotInstalled {
		return "No such module is installed."
	}
	return "The stored decisions about modules cannot be read."
}
