// Package gateway owns the way of an HTTP request into a module and back: the module's rows of the route
// table, what a handler gets to see, and which part of its response goes out
// (docs/reference/modules.md).
package gateway

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Prefix is the root below which every module has its own.
const Prefix = "/api/v1/modules/"

// Process is a running module, or one that is being restarted.
type Process interface {
	Routes() []*abi.Route // frozen by the first start
	// Begin begins a call; complete chooses from the body sockets of the run that is called.
	Begin(ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error) (*link.Exchange, error)
}

// Calls names the requests under way, so that the module can ask what their callers may do.
type Calls interface {
	EnterCall(caller facade.Caller) (id uint64, leave func())
}

// Module is one started module.
type Module struct {
	ID      string
	Process Process
	Calls   Calls
	Memory  *hostmemory.Account // what the host holds for it; nil: not counted
	Load    *Load               // its requests; nil: not counted
}

// Routes returns the module's rows of the table.
func Routes(module Module) []httpapi.Route { return routes(module, defaultLimits()) }

func routes(module Module, limits limits) []httpapi.Route {
	mount := &mount{module: module, limits: limits, queue: newQueue(limits), memory: module.Memory}
	module.Load.follow(mount.queue)
	var rows []httpapi.Route
	for index, declared := range module.Process.Routes() {
		route := httpapi.Route{
			Method:     declared.GetMethod(),
			Path:       Prefix + module.ID + declared.GetPath(),
			Head:       declared.GetMethod() == "GET",
			MaxBody:    declared.GetMaxBodyBytes(),
			Permission: declared.GetPermission(),
			Module:     module.ID,
			Handle:     newRoute(mount, uint32(index), declared).handle,
		}
		if declared.GetMethod() != "GET" {
			route.Origin = httpapi.TrustedOrigin
		}
		if declared.GetMethod() != "GET" || route.MaxBody > 0 {
			route.Body = httpapi.DeclaredBody
		}
		rows = append(rows, route)
	}
	return rows
}

// limits are those of one module (docs/reference/modules.md).
type limits struct {
	response time.Duration // from the end of the request's body to the response's head
	piece    time.Duration // between two pieces of a longer response
	queue    time.Duration // for a call to wait for its turn
	inFlight int
	waiting  int
}

func defaultLimits() limits {
	return limits{
		response: 30 * time.Second,
		piece:    30 * time.Second,
		queue:    5 * time.Second,
		inFlight: 256,
		waiting:  1024,
	}
}
