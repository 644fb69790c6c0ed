package sdk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Body is the largest request body of a route, and how the body is read (docs/reference/modules.md).
type Body struct {
	max     int64
	mode    abi.BodyMode
	limited bool // NoBody has no limit; every other Body must have one
}

// NoBody is for routes without a request body: a request with one gets 413, and the handler does not run.
var NoBody = Body{}

// Buffered accepts up to max bytes, at most 1 MiB. The platform reads the whole body before the handler runs.
func Buffered(max int64) Body { return Body{max: max, limited: true} }

// Streamed accepts up to max bytes, at most 32 MiB, and runs the handler at once: the platform reads nothing
// from the client before the handler reads. Reading a longer body ends with an *http.MaxBytesError, and the
// client gets 413 whatever the handler responds. Reading a body that its sender aborts ends with
// ErrBodyAborted. When 64 KiB of the response are written (256 KiB if it declares a greater length), or it is
// flushed, the body can no longer be read.
func Streamed(max int64) Body {
	return Body{max: max, mode: abi.BodyMode_BODY_MODE_STREAMED, limited: true}
}

// Registry collects the declarations of a module.
type Registry struct {
	routes   []*abi.Route
	handlers []handler
	problems []error
	refused  refused
	probes   []string

	channels     channels
	capabilities []string
	provided     map[string]Methods

	schedules []*abi.Schedule
	scheduled map[string]Scheduled

	forget ErasePerson
	export ExportPerson

	host     atomic.Pointer[Host] // nil before Start
	starting []func(context.Context, *Host) error
}

// handler is a route's function and the names of its path's {name} segments.
type handler struct {
	serve    func(w http.ResponseWriter, r *http.Request) error
	names    []string
	max      int64
	streamed bool
}

// Handle declares a route. pattern is a method (GET, POST, PUT, PATCH, DELETE) and a path of literal and
// {name} segments, "GET /slides/{id}", relative to the module's own root. permission is one of the
// manifest's. The handler reads a segment with r.PathValue. It has 30 s to respond, counted from the end of
// the request's body, and 30 s between two pieces of a long response. Its context ends when the client
// disconnects. Handlers run concurrently, up to 256 at once.
//
// A request has a path, a query, a body and a few headers (docs/modules.md), but no host, address or cookie.
// A response may have any length. It is sent when the handler returns, when 64 KiB are written, or when it is
// flushed (http.Flusher). A handler that panics before that causes a 500; after that the response is cut off.
//
// HandleFunc is the same for handlers that return their result. Use Handle for a response that is written
// piece by piece.
func (r *Registry) Handle(pattern, permission string, body Body, serve http.HandlerFunc) {
	r.route(pattern, permission, body, func(w http.ResponseWriter, request *http.Request) error {
		serve(w, request)
		return nil
	})
}

func (r *Registry) route(
	pattern, permission string, body Body, serve func(w http.ResponseWriter, r *http.Request) error,
) {
	method, path, found := strings.Cut(pattern, " ")
	if !found || !strings.HasPrefix(path, "/") {
		r.problems = append(r.problems, fmt.Errorf("route %q: a pattern is a method, a space and a path with a "+
			"slash in front, as in \"GET /notes\"", pattern))
		return
	}
	if body.limited && body.max <= 0 {
		r.problems = append(r.problems, fmt.Errorf("route %q: its body has no limit; give sdk.Buffered or "+
			"sdk.Streamed the most bytes that are accepted, or use sdk.NoBody", pattern))
		return
	}
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
			names = append(names, segment[1:len(segment)-1])
		}
	}
	r.routes = append(r.routes, &abi.Route{
		Method:       method,
		Path:         path,
		Permission:   permission,
		MaxBodyBytes: body.max,
		BodyMode:     body.mode,
		AnyBytes:     true,
	})
	r.handlers = append(r.handlers, handler{
		serve:    serve,
		names:    names,
		max:      body.max,
		streamed: body.mode == abi.BodyMode_BODY_MODE_STREAMED,
	})
}

// Probe names the read that shows whether the module works: a GET that the module declares, without {name}
// segments, that responds with 2xx to a request of an owner without a query. The platform requests it when an
// upgrade is rehearsed, on a copy of the database with empty buckets, so name a cheap one that needs no
// object. A module without a probe is only asked for its browser code.
func (r *Registry) Probe(pattern string) { r.probes = append(r.probes, pattern) }

// markProbe marks the route that Probe names, which may be declared later.
func (r *Registry) markProbe() error {
	if len(r.probes) == 0 {
		return nil
	}
	if len(r.probes) > 1 {
		return fmt.Errorf("the probes %q: a module has at most one", r.probes)
	}
	for _, route := range r.routes {
		if route.Method+" "+route.Path == r.probes[0] {
			route.Probe = true
			return nil
		}
	}
	return fmt.Errorf("the probe %q is not a route of the module; declare it with HandleFunc or Handle, with "+
		"the same pattern", r.probes[0])
}

// start gives the host to what was declared with it, before the module's own Start.
func (r *Registry) start(ctx context.Context, h *Host) error {
	r.host.Store(h)
	for _, begin := range r.starting {
		if err := begin(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) problem() error { return errors.Join(r.problems...) }

// sort makes the registration independent of the order of the declarations. A module that declares by ranging
// over a map must register the same each time its process starts, or the platform refuses it.
func (r *Registry) sort() {
	order := make([]int, len(r.routes))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.routes[a].Path, r.routes[b].Path),
			cmp.Compare(r.routes[a].Method, r.routes[b].Method))
	})
	routes, handlers := make([]*abi.Route, len(order)), make([]handler, len(order))
	for n, from := range order {
		routes[n], handlers[n] = r.routes[from], r.handlers[from]
	}
	r.routes, r.handlers = routes, handlers
	slices.SortFunc(r.channels.declared, func(a, b *abi.Channel) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(r.capabilities)
	slices.SortFunc(r.schedules, func(a, b *abi.Schedule) int { return cmp.Compare(a.Name, b.Name) })
}
