package links

import (
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The codes of this package (docs/reference/error-codes.md). After each of them nothing has changed.
const (
	// ErrNotFound: no link that works. Unknown, revoked, ended, of another module, of somebody who is
	// deactivated, or without the permission: the response does not distinguish them.
	ErrNotFound = httpapi.ErrLink
	// ErrSubject: the subject has not 1 to 128 bytes of UTF-8, or the person's id is none.
	ErrSubject = httpapi.ErrRequest
	// ErrCapacity: the module has its 50,000 live links.
	ErrCapacity = httpapi.Error("LINK_CAPACITY")
)

// tooManyRequests is 429 TOO_MANY_REQUESTS: the client has opened too many links, or written too often.
type tooManyRequests struct{ wait time.Duration }

func (tooManyRequests) Error() string { return "TOO_MANY_REQUESTS" }
func (tooManyRequests) Code() string  { return "TOO_MANY_REQUESTS" }
