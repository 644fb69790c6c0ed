package dashboard

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// ErrAsset ends the start: the build of the Dashboard is missing or does not fit this service.
const ErrAsset = Error("DASHBOARD_HOST_ASSET_UNAVAILABLE")

// Error is the code.
func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }
