package sdk

// Error is a stable code of the platform, which a module may compare with errors.Is.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }
