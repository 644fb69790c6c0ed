package clientaddress

// Error is a stable code that callers may see.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// ErrUnresolved: it cannot be told safely where the request comes from (spec.md § Errors). It never contains an address.
const ErrUnresolved = Error("CLIENT_ADDRESS_UNRESOLVED")
