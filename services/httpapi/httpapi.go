// Package httpapi owns what a route and a handler are: the declarative table, one request on its way, and how an error becomes an
// answer. It knows nothing of the router behind it (services/httpserver runs the table).
package httpapi

import (
	"context"

	"github.com/narthex-platform/narthex/services/principal"
)

// Route is one row of the table: what it answers, and every gate before its handler. The gates are data, so that a test can walk
// the table and find the write that lacks one.
type Route struct {
	Method string
	Path   string // literal and {name} segments, matched on the escaped form
	Head   bool   // HEAD is answered as GET, without the body

	Origin     OriginGate // required on every write
	Body       BodyGate   // required on every write
	MaxBody    int64      // bytes; a longer body is 413 REQUEST_BODY_TOO_LARGE
	Permission string     // empty: the platform resolves no principal for this route

	Handle Handler

	// OthersNotAllowed answers every other method on this path with 405 and Allow instead of 404 (spec.md § Health).
	OthersNotAllowed bool
}

// Handler does one route's work. It returns what went wrong; the pipeline turns that into the answer (errors.go). A handler that
// has begun to write returns nil.
type Handler func(c *Call) error

// OriginGate tells who judges the Origin of a request.
type OriginGate uint8

const (
	// NoOrigin is for reads, which are under no origin rule.
	NoOrigin OriginGate = iota
	// TrustedOrigin asks for an exact trusted Origin: 403 ORIGIN_NOT_TRUSTED without one.
	TrustedOrigin
	// OriginByHandler is identity's: its own rules decide (identity-compatible answers).
	OriginByHandler
)

// BodyGate tells when the body is counted (contract.md §1, pipeline).
type BodyGate uint8

const (
	// NoBody is for reads: what is sent is not looked at.
	NoBody BodyGate = iota
	// WholeBody is read and counted before a principal is resolved; the handler finds it in Call.Body.
	WholeBody
	// DeclaredBody checks a declared length before the principal is resolved and leaves the counting to the handler, which reads
	// no byte before the permission (Call.ReadBody).
	DeclaredBody
)

// Caller is who sent a request and what it may do. Its grants are read at most once, however many permissions are asked. Safe for
// concurrent use.
type Caller interface {
	Principal() principal.Principal
	// Allowed fails with PRINCIPAL_RESOLUTION_FAILED when the stores cannot tell.
	Allowed(ctx context.Context, permission string) (bool, error)
}
