package database

import "errors"

// Error is a stable code that callers may see.
type Error string

// The codes of this package (docs/reference/error-codes.md).
const (
	// ErrUnreachable: no session could be opened, or it broke: network, TLS, credentials, a database that does
	// not exist.
	ErrUnreachable = Error("DATABASE_UNREACHABLE")
	// ErrVersionUnsupported: the server is older than PostgreSQL 15.
	ErrVersionUnsupported = Error("DATABASE_VERSION_UNSUPPORTED")
	// ErrEncodingUnsupported: the database's encoding is not UTF8. The error that is returned names it.
	ErrEncodingUnsupported = Error("DATABASE_ENCODING_UNSUPPORTED")
	// ErrTransactionPooler: a transaction pooler is in between, which the settings do not say.
	ErrTransactionPooler = Error("DATABASE_TRANSACTION_POOLER")
	// ErrSessionRequired: a transaction pooler is in between, and a command needs sessions of its own.
	ErrSessionRequired = Error("DATABASE_SESSION_REQUIRED")
	// ErrClosed: the database service has been stopped.
	ErrClosed = Error("DATABASE_CLOSED")
	// ErrCloseTimedOut: connections were still in use at the end of the stop's grace; their sockets were
	// closed.
	ErrCloseTimedOut = Error("DATABASE_CLOSE_TIMED_OUT")
)

// Error returns the code and a sentence that says what to do.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	switch e {
	case ErrUnreachable:
		return "The database did not accept a session; check DATABASE_URL, SERVICE_DATABASE_TLS_MODE, " +
			"SERVICE_DATABASE_CA and the server's log."
	case ErrVersionUnsupported:
		return "The database server must be PostgreSQL 15 or newer."
	case ErrEncodingUnsupported:
		return "The encoding of the database must be UTF8."
	case ErrTransactionPooler:
		return "DATABASE_URL names a pooler in transaction mode, which gives a session of the server out for one " +
			"transaction; set SERVICE_DATABASE_POOLER=transaction, or name the server itself or a pooler in session " +
			"mode."
	case ErrSessionRequired:
		return "This command needs sessions of its own, and DATABASE_URL names a pooler in transaction mode; run " +
			"it with a DATABASE_URL that names the server itself."
	case ErrClosed:
		return "The database connections have been closed."
	case ErrCloseTimedOut:
		return "Database connections were still in use at the end and were cut."
	}
	return "The database failed."
}

// failure prints only its code, because a driver's error names user, host and database. errors.Is and
// errors.As reach the cause.
type failure struct {
	code  Error
	cause error
}

// fail returns a failure with the code, unless the cause is that of every session in this database.
func fail(code Error, cause error) error {
	if refused, ok := errors.AsType[encodingError](cause); ok {
		return refused
	}
	return &failure{code, cause}
}

func (f *failure) Error() string { return f.code.Error() }
func (f *failure) Code() string  { return f.code.Code() }

// Why returns the word for the cause of an ErrUnreachable.
func (f *failure) Why() string { return string(WhyOf(f.cause)) }

func (f *failure) Unwrap() []error { return []error{f.code, f.cause} }
