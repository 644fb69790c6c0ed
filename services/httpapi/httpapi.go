// Package httpapi defines what routes and handlers are: the declarative route table, one request inside its
// handler, and how an error becomes a response. It does not depend on the router, which is in
// services/httpserver.
package httpapi

import (
	"context"

	"github.com/narthex-platform/narthex/services/principal"
)

// Route is one row of the route table: method, path, handler, and every gate before the handler. The gates
// are data, so that a test can walk the table and find a write that lacks one.
type Route struct {
	Method string
	Path   string // literal and {name} segments, matched on the escaped form
	Head   bool   // HEAD gets the response of GET, without the body

	Origin     OriginGate // required on every write
	Body       BodyGate   // required on every write
	MaxBody    int64      // bytes; a longer body is 413 REQUEST_BODY_TOO_LARGE
	Permission string     // empty: the platform resolves no principal for this route
	Module     string     // id of the module whose code responds, for the log; empty: the platform itself

	// OrPermission is a second permission that also suffices. Empty: there is none.
	OrPermission string

	// Feed is the media type of a read that programs may fetch without signing in (services/feeds). Empty: they
	// may not.
	Feed string

	Handle Handler

	// Link marks a route for links alone: the sender is the link of the request's cookie, whatever session or
	// device it has beside it. Whoever is not allowed gets 404 LINK_NOT_FOUND.
	Link bool

	// Denied, when set, responds to a request whose sender lacks the permission; why is ErrAuthentication or
	// ErrPermission. Nil: why itself is the response.
	Denied func(c *Call, why error) error

	// Below extends the route to every path that begins with Path and that no other route matches.
	Below bool

	// OthersNotAllowed makes every other method on this path a 405 with Allow, in place of a 404.
	OthersNotAllowed bool

	// Stream marks a route whose responses do not end, so that their duration is not measured.
	Stream bool
}

// usualBody limits the body of a usual write, in bytes.
const usualBody = 16 << 10

// Write returns the row of a usual write: from an origin of the platform's own, with a body of at most 16 KiB
// that is read before the handler.
func Write(method, path, permission string, handle Handler) Route {
	return Route{
		Method: method, Path: path, Permission: permission,
		Origin: TrustedOrigin, Body: WholeBody, MaxBody: usualBody,
		Handle: handle,
	}
}

// Handler does one route's work. The pipeline turns the error that it returns into the response
// (errors.go). A handler that has begun to write returns nil.
type Handler func(c *Call) error

// OriginGate defines how a request's Origin header is checked.
type OriginGate uint8

const (
	// NoOrigin is for reads: their Origin is not checked.
	NoOrigin OriginGate = iota
	// TrustedOrigin requires an exact match with a trusted origin, else 403 ORIGIN_NOT_TRUSTED.
	TrustedOrigin
	// OriginByHandler leaves the check to the handler. The routes of identity have rules of their own
	// (docs/reference/identity.md).
	OriginByHandler
)

// BodyGate defines when the length of a body is checked.
type BodyGate uint8

const (
	// NoBody is for reads: a body is ignored.
	NoBody BodyGate = iota
	// WholeBody is read into memory and counted before the principal is resolved. The handler finds it in
	// Call.Body.
	WholeBody
	// DeclaredBody checks a declared length before the principal is resolved. The handler reads and counts the
	// body itself, so no byte is read before the permission is checked (Call.ReadBody).
	DeclaredBody
)

// Caller is the sender of a request and its permissions. Its grants are read at most once, however many
// permissions are checked. Safe for concurrent use.
type Caller interface {
	Principal() principal.Principal
	// Allowed fails with PRINCIPAL_RESOLUTION_FAILED when the stores cannot be read, and with
	// SECOND_FACTOR_MISSING where only the second factor is missing that the house asks for.
	Allowed(ctx context.Context, permission string) (bool, error)
}
