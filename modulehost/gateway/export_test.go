package gateway

import (
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Limits are the limits that tests shorten; zero leaves the default.
type Limits struct {
	Response, Piece, Queue time.Duration
	InFlight, Waiting      int
}

// RoutesWithin is Routes with other limits.
func RoutesWithin(module Module, l Limits) []httpapi.Route {
	limits := defaultLimits()
	for _, each := range []struct {
		limit *time.Duration
		value time.Duration
	}{{&limits.response, l.Response}, {&limits.piece, l.Piece}, {&limits.queue, l.Queue}} {
		if each.value != 0 {
			*each.limit = each.value
		}
	}
	if l.InFlight != 0 {
		limits.inFlight, limits.waiting = l.InFlight, l.Waiting
	}
	return routes(module, limits)
}
