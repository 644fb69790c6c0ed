// Package gateway passes HTTP requests to a module and responses back: the module's rows of the route table,
// the parts of a request that a handler gets, and the parts of its response that the client gets
// (docs/reference/modules.md).
//
// A body takes one of these ways, which docs/link.md describes. On a streamed route, a request's body is:
//
//	with its bytes                  sent on a body socket when the handler reads it, through a buffer of
//	                                256 KiB or a lane, and nothing of it before (link.Exchange.Upload)
//
// On a buffered route it is read completely, after the permission was checked (bufferedBody):
//
//	up to 8 KiB, length known       with the call
//	from 48 KiB, if a lane is free  into the lane, which the module reads
//	all others, length known        into a buffer of 64 KiB, 256 KiB or 1 MiB, then on a body socket
//	length not known                into memory that grows, then as one of the same length without a lane
//
// A response's body is:
//
//	up to 8 KiB                     with the response
//	length known, up to 64 KiB      on a body socket, through a buffer of 64 KiB
//	all others                      on a body socket, through a buffer of 256 KiB; its pieces may be in a lane
//
// The buffers are counted in the module's account of the host's memory, the lanes are not: a module has eight
// of 1 MiB. A call whose route needed a body socket for its last response lends one from the beginning, if
// more than half of all are free.
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

// LinkRoot returns the path below which links reach a module's routes.
func LinkRoot(moduleID string) string { return "/api/v1/module-links/" + moduleID + "/api" }

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
	Links   bool                // links may use its routes too
	// HouseRev returns how often the house has been changed; nil: the module asks for the house each time.
	HouseRev func() int64
	// Tell gets a line for the author of the module about a response that the client did not get; nil: nobody.
	// The line may contain what the module has sent.
	Tell func(line string)
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
			Feed:       declared.GetFeed(),
			Handle:     newRoute(mount, uint32(index), declared, Prefix+module.ID).handle,
		}
		if declared.GetMethod() != "GET" {
			route.Origin = httpapi.TrustedOrigin
		}
		if declared.GetMethod() != "GET" || route.MaxBody > 0 {
			route.Body = httpapi.DeclaredBody
		}
		rows = append(rows, route)
		if module.Links && route.Permission != "" {
			root := LinkRoot(module.ID)
			route.Path, route.Link, route.Feed = root+declared.GetPath(), true, ""
			route.Handle = newRoute(mount, uint32(index), declared, root).handle
			rows = append(rows, route)
		}
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
