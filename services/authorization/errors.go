package authorization

// Error is a stable code; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// What stops the composition of a registry. Discovery reports the first of them earlier and in more words (contract.md §7).
const (
	ErrPermissionDuplicate = Error("PERMISSION_DUPLICATE")
	ErrPermissionInvalid   = Error("PERMISSION_INVALID")
)
