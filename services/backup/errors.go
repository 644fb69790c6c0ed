package backup

import "fmt"

// Error is a stable code that operators see.
type Error string

// The codes of this package (docs/reference/error-codes.md).
const (
	// ErrInvalid: the file is not a backup, is damaged, is encrypted for another age key, or was made by a newer
	// platform.
	ErrInvalid = Error("BACKUP_INVALID")
	// ErrIncomplete: the file ends before its manifest; or a restore was interrupted and must be run again.
	ErrIncomplete = Error("BACKUP_INCOMPLETE")
	// ErrTargetNotEmpty: the database or a bucket is not empty.
	ErrTargetNotEmpty = Error("BACKUP_TARGET_NOT_EMPTY")
	// ErrToolsMissing: there is no pg_dump or pg_restore that is as new as the server.
	ErrToolsMissing = Error("POSTGRESQL_TOOLS_MISSING")
	// ErrScratch: the user may not create the scratch database and its roles.
	ErrScratch = Error("SCRATCH_DATABASE_UNAVAILABLE")
	// ErrFailed: a step failed; its effects were undone.
	ErrFailed = Error("BACKUP_FAILED")
)

// Error returns the code and a sentence that says what to do.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	switch e {
	case ErrInvalid:
		return "The file is not a backup that this program can read."
	case ErrIncomplete:
		return "The backup ends too early; it was cut while it was written or copied."
	case ErrTargetNotEmpty:
		return "A backup is restored into an empty database and empty buckets only."
	case ErrToolsMissing:
		return "pg_dump and pg_restore of the server's version are needed."
	case ErrScratch:
		return "The database user may not create databases and roles, so the backup cannot be tried."
	}
	return "The backup could not be made; nothing of it was kept."
}

// failure is a code with its own sentence, and a cause that is not shown.
type failure struct {
	code   Error
	reason string // "": the code's own sentence
	cause  error
}

// fail adds the reason to the code. Neither contains a path, a host or a driver's message.
func fail(code Error, reason string, cause error) error { return &failure{code, reason, cause} }

func (f *failure) Error() string {
	if f.reason == "" {
		return f.code.Error()
	}
	return fmt.Sprintf("%s: %s", string(f.code), f.reason)
}

func (f *failure) Code() string { return f.code.Code() }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.code}
	}
	return []error{f.code, f.cause}
}
