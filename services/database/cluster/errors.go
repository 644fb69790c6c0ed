package cluster

// Error is a stable code with a sentence for people.
type Error string

// The reasons why there is no cluster.
const (
	ErrNotFound  = Error("POSTGRESQL_NOT_FOUND")
	ErrInUse     = Error("POSTGRESQL_IN_USE")
	ErrDirectory = Error("POSTGRESQL_DIRECTORY_UNUSABLE")
	ErrStart     = Error("POSTGRESQL_START_FAILED")
	ErrStop      = Error("POSTGRESQL_STOP_FAILED")
)

// Error returns the code and a sentence that says what to do.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	switch e {
	case ErrNotFound:
		return "PostgreSQL 15 or newer was not found; run make postgresql."
	case ErrInUse:
		return "Another process runs a PostgreSQL in this directory."
	case ErrDirectory:
		return "The directory for the private PostgreSQL cannot be used; choose an empty or a new one."
	case ErrStop:
		return "The private PostgreSQL had to be killed."
	}
	return "The private PostgreSQL did not start."
}

// failure prints only its code, because the cause may contain paths and the server's messages.
// errors.Unwrap reaches the cause.
type failure struct {
	code  Error
	cause error
}

func fail(code Error, cause error) error { return &failure{code, cause} }

func (f *failure) Error() string   { return f.code.Error() }
func (f *failure) Code() string    { return f.code.Code() }
func (f *failure) Unwrap() []error { return []error{f.code, f.cause} }
