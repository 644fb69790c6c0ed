package httpserver

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Meter counts what the server does. Its functions are safe for concurrent use and never block.
type Meter interface {
	// Route returns the function that counts the responses of one route of the table, or of one of the names
	// below. took is 0 when there is no meaningful duration: for a stream, and for a response without a handler.
	Route(method, path string) func(status int, took time.Duration)
	// Refused counts a refusal by a limit or a gate.
	Refused(cause string)
}

// The causes of a refusal.
const (
	CauseDeadline  = "deadline"    // 408: a head or a body arrived too slowly
	CauseHead      = "head_size"   // 431
	CauseMalformed = "malformed"   // 400 of the transport
	CauseBody      = "body_size"   // 413
	CauseRate      = "rate"        // 429
	CauseOrigin    = "origin"      // 403 ORIGIN_NOT_TRUSTED
	CauseConns     = "connections" // closed without a response: too many of one client or in total
	CauseStream    = "streams"     // too many streams of one client
	CauseStalled   = "stalled"     // the client did not read its response
	CauseRoom      = "made_room"   // an idle connection was closed to make room for a new one
	CauseAccept    = "accept"      // the operating system gave no connection
)

// Causes are all causes.
var Causes = []string{CauseDeadline, CauseHead, CauseMalformed, CauseBody, CauseRate, CauseOrigin,
	CauseConns, CauseStream, CauseStalled, CauseRoom, CauseAccept}

// The names of what is counted besides the table's routes. A path begins with a slash, so no route has the
// same name.
const (
	meterUnmatched = "unmatched" // no route of the table
	meterPreflight = "preflight" // CORS
	meterAddress   = "address"   // the client's address cannot be determined
	meterTransport = "transport" // 400, 408 and 431 before a request was complete
)

// noMeter counts nothing.
type noMeter struct{}

func (noMeter) Route(string, string) func(int, time.Duration) { return func(int, time.Duration) {} }
func (noMeter) Refused(string)                                {}

// meterOf returns meter, or noMeter for nil, so that callers need not check for nil.
func meterOf(meter Meter) Meter {
	if meter == nil {
		return noMeter{}
	}
	return meter
}

// refusals counts the refusals that can be recognised by a response's status.
func refusals(meter Meter, status int) {
	switch status {
	case http.StatusRequestEntityTooLarge:
		meter.Refused(CauseBody)
	case http.StatusTooManyRequests:
		meter.Refused(CauseRate)
	case http.StatusRequestTimeout:
		meter.Refused(CauseDeadline)
	}
}

// meteredMethod returns "other" for unknown methods, so that clients cannot create labels.
func meteredMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// counted counts the responses of one route's chain. Without a meter it returns chain unchanged.
func counted(meter Meter, method string, route *httpapi.Route, chain gin.HandlerFunc) gin.HandlerFunc {
	if meter == (noMeter{}) {
		return chain
	}
	count, stream := meter.Route(method, route.Path), route.Stream
	return func(g *gin.Context) {
		began := time.Now()
		defer func() {
			if c, ok := g.Request.Context().Value(connKey{}).(*conn); ok && c.hasFaulted() {
				return // the transport has responded and counted the response
			}
			took := time.Duration(0)
			if !stream {
				took = time.Since(began)
			}
			count(g.Writer.Status(), took)
			refusals(meter, g.Writer.Status())
		}()
		chain(g)
	}
}
