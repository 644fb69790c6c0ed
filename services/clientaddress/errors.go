package clientaddress

// Error is a stable code that callers may see.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// ErrUnresolved: the client's address cannot be determined safely. It never contains an address.
const ErrUnresolved = Error("CLIENT_ADDRESS_UNRESOLVED")
