package cluster

import (
	"errors"
	"io/fs"
	"syscall"
)

// Error is a stable code with a sentence for people.
type Error string

// The reasons why there is no cluster.
const (
	ErrNotFound  = Error("POSTGRESQL_NOT_FOUND")
	ErrInUse     = Error("POSTGRESQL_IN_USE")
	ErrDirectory = Error("POSTGRESQL_DIRECTORY_UNUSABLE")
	ErrStart     = Error("POSTGRESQL_START_FAILED")
	ErrStop      = Error("POSTGRESQL_STOP_FAILED")
	// ErrRights: this process is root without the rights to run the server as another user.
	ErrRights = Error("POSTGRESQL_RIGHTS_MISSING")
)

// Error returns the code and a sentence that says what to do.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	switch e {
	case ErrNotFound:
		return "PostgreSQL 15 or newer was not found; run make postgresql in a checkout, or install it " +
			"(on Debian: apt-get install postgresql)."
	case ErrInUse:
		return "Another process runs a PostgreSQL in this directory."
	case ErrDirectory:
		return "The directory for the private PostgreSQL cannot be used; choose an empty or a new one."
	case ErrRights:
		return "PostgreSQL refuses to run as root, and this root may not run it as another user."
	case ErrStop:
		return "The private PostgreSQL had to be killed."
	}
	return "The private PostgreSQL did not start."
}

// failure prints only its code and what is known about the cause, because the cause itself may contain paths
// and the server's messages. errors.Unwrap reaches it.
type failure struct {
	code   Error
	cause  error
	reason string // in place of the code's sentence; "" if nothing more is known
}

// fail returns an error with the code. What the operating system refused gives it a reason.
func fail(code Error, cause error) error {
	f := &failure{code: code, cause: cause}
	switch {
	case errors.Is(cause, syscall.ENOSPC), errors.Is(cause, syscall.EDQUOT):
		f.reason = "The disk that holds the directory for the private PostgreSQL is full; make room, or choose " +
			"another directory."
	case errors.Is(cause, syscall.EROFS):
		f.reason = "The directory for the private PostgreSQL is on a read-only file system; choose another."
	case code == ErrDirectory && errors.Is(cause, fs.ErrPermission):
		f.reason = "This user may not make or use the directory for the private PostgreSQL; give it to them, or " +
			"choose another."
	}
	return f
}

// because returns an error with the code, whose sentence a reason follows.
func because(code Error, cause error, reason string) error {
	return &failure{code, cause, code.sentence() + " " + reason}
}

func (f *failure) Error() string {
	if f.reason == "" {
		return f.code.Error()
	}
	return string(f.code) + ": " + f.reason
}

func (f *failure) Code() string    { return f.code.Code() }
func (f *failure) Unwrap() []error { return []error{f.code, f.cause} }
