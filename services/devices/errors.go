package devices

import (
	"time"
)

// Error is a stable code that callers may see. A cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes of this package (docs/reference/error-codes.md). After each of them nothing has changed.
const (
	ErrDisplayNotFound = Error("DISPLAY_NOT_FOUND") // no running module has this display
	ErrPairingNotFound = Error(
		"PAIRING_NOT_FOUND",
	) // unknown, expired or used; the response does not distinguish them
	ErrPairingNotApproved = Error("PAIRING_NOT_APPROVED")    // pending or rejected
	ErrPairingDecided     = Error("PAIRING_ALREADY_DECIDED") // it was approved or rejected before
	ErrPairingCapacity    = Error(
		"PAIRING_CAPACITY",
	) // the platform has the maximum number of open pairings
	ErrDeviceNotFound = Error("DEVICE_NOT_FOUND") // unknown, or never claimed in time
)

// tooManyRequests is 429 TOO_MANY_REQUESTS: the client has sent too many requests, or has too many open
// pairings.
type tooManyRequests struct{ wait time.Duration }

func (tooManyRequests) Error() string { return "TOO_MANY_REQUESTS" }
func (tooManyRequests) Code() string  { return "TOO_MANY_REQUESTS" }
