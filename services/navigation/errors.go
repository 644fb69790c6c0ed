package navigation

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// The codes of the routes, in addition to the pipeline's. After each of them nothing was written.
const (
	ErrGroupNotFound = Error("NAVIGATION_GROUP_NOT_FOUND") // 404: the group of a placement does not exist
	ErrNotInstalled  = Error("MODULE_NOT_INSTALLED")       // 404: neither installed nor placed
)

// Error returns the code.
func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }
