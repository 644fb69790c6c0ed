package feeds

import (
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The codes of this package (docs/reference/error-codes.md). After each of them nothing has changed.
const (
	// ErrNotFound: no such feed, or none that works; the response does not distinguish why.
	ErrNotFound = httpapi.Error("FEED_NOT_FOUND")
	ErrLimit    = httpapi.Error("FEED_LIMIT") // the person has as many live feeds as there may be

	errModule = httpapi.Error("MODULE_UNAVAILABLE") // it has answered with a 5xx
)

// tooMany is 429 TOO_MANY_REQUESTS.
type tooMany struct{ wait time.Duration }

func (tooMany) Error() string { return "TOO_MANY_REQUESTS" }
func (tooMany) Code() string  { return "TOO_MANY_REQUESTS" }
