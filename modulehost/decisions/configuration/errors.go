package configuration

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// ErrRead ends a start whose module configuration cannot be read. Nothing is created or repaired.
const ErrRead = Error("MODULE_CONFIGURATION_READ_FAILED")

// The codes of the routes, in addition to the pipeline's. After each of them nothing was written. No response
// contains a key or a value.
const (
	// 404: this process did not discover the module
	ErrNotInstalled  = Error("MODULE_NOT_INSTALLED")
	ErrKeyUndeclared = Error("CONFIGURATION_KEY_UNDECLARED") // 400
	// 400: only the deployment supplies secrets
	ErrSecretNotWritable = Error("CONFIGURATION_SECRET_NOT_WRITABLE")
	// 400: of another JSON type, or outside its constraints
	ErrValueInvalid = Error("CONFIGURATION_VALUE_INVALID")
	ErrConflict     = Error("CONFLICT") // 409: replaced by another request in the meantime
)

// Error returns the code and a sentence that explains it.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	switch e {
	case ErrNotInstalled:
		return "No such module is installed."
	case ErrKeyUndeclared:
		return "The module declares no such key."
	case ErrSecretNotWritable:
		return "Only the deployment supplies secrets."
	case ErrConflict:
		return "Somebody else has changed the configuration meanwhile."
	case ErrValueInvalid:
		return "The module's declaration does not accept the value."
	}
	return "The stored configuration of modules cannot be read."
}
