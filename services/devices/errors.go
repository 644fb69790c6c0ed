package devices

import (
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The codes of this package (docs/reference/error-codes.md). After each of them nothing has changed.
const (
	ErrDisplayNotFound = httpapi.Error("DISPLAY_NOT_FOUND") // no running module has this display
	// unknown, expired or used; the response does not distinguish them
	ErrPairingNotFound    = httpapi.Error("PAIRING_NOT_FOUND")
	ErrPairingNotApproved = httpapi.Error("PAIRING_NOT_APPROVED")    // pending or rejected
	ErrPairingDecided     = httpapi.Error("PAIRING_ALREADY_DECIDED") // it was approved or rejected before
	ErrPairingCapacity    = httpapi.Error("PAIRING_CAPACITY")        // the platform has its most open pairings
	ErrDeviceNotFound     = httpapi.Error("DEVICE_NOT_FOUND")        // unknown, or never claimed in time
)

// tooManyRequests is 429 TOO_MANY_REQUESTS: the client has sent too many requests, or has too many open
// pairings.
type tooManyRequests struct{ wait time.Duration }

func (tooManyRequests) Error() string { return "TOO_MANY_REQUESTS" }
func (tooManyRequests) Code() string  { return "TOO_MANY_REQUESTS" }
