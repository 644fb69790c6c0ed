// Package gateway passes HTTP requests to a module and responses back: the module's rows of the route table,
// the parts of a request that a handler gets, and the parts of its response that the client gets
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
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Prefix is the path below which the routes of all modules are.
const Prefix = "/api/v1/modules/"

// Process is a running module, or one that is being restarted.
type Process interface {
	Routes() []*abi.Route // the same for every run
	// Begin begins a call. complete chooses body sockets of the current run.
	Begin(ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error) (*link.Exchange, error)
	// TakeLane lends a lane of the current run for a request's body of this many bytes; nil: there is none.
	TakeLane(bytes int) *link.LaneBody
}

// Calls gives requests in progress an id, by which the module can query their callers' permissions.
type Calls interface {
	EnterCall(caller facade.Caller) (id uint64, leave func())
}

// Module is one started module.
type Module struct {
	ID      string
	Process Process
	Calls   Calls
	Memory  *hostmemory.Account // counts the host's memory that the module uses; nil: not counted
	Load    *Load               // counts its requests; nil: not counted
}

// Routes returns the module's rows of the route table.
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

// limits are the limits of one module (docs/reference/modules.md).
type limits struct {
	response time.Duration // from the end of the request's body to the response's head
	upload   time.Duration // from the call to the end of a streamed body; the listener's own limit is not longer
	piece    time.Duration // between two pieces of a longer response
	queue    time.Duration // the wait of a call for its slot
	inFlight int
	waiting  int
}

func defaultLimits() limits {
	return limits{
		response: deadlines.Response,
		upload:   deadlines.Upload,
		piece:    deadlines.Piece,
		queue:    deadlines.Queue,
		inFlight: 256,
		waiting:  1024,
	}
}
