package sdk

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

// Body is how much of a request body a route takes. Every route decides it (spec.md § Limits).
type Body struct{ max int64 }

// NoBody is for routes that take none: a request with a body is answered 413 before the handler runs.
var NoBody = Body{}

// Buffered takes up to max bytes, at most 1 MiB, and has them all before the handler runs.
func Buffered(max int64) Body { return Body{max: max} }

// Registry collects what a module declares.
type Registry struct {
	routes   []*abi.Route
	handlers []handler
	problems []error
}

// handler is one route's code and the names of its path's {name} segments.
type handler struct {
	serve http.HandlerFunc
	names []string
}

// Handle declares a route: pattern is a method and a path of literal and {name} segments, "GET /slides/{id}", below the module's own
// root; permission is one of the manifest's. The handler reads a segment with r.PathValue. It has 30 s to answer, and its context
// ends when the client goes away.
func (r *Registry) Handle(pattern, permission string, body Body, serve http.HandlerFunc) {
	method, path, found := strings.Cut(pattern, " ")
	if !found || !strings.HasPrefix(path, "/") {
		r.problems = append(r.problems, fmt.Errorf("pattern %q must be a method, a space and a path", pattern))
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
		BodyMode:     abi.BodyMode_BODY_MODE_BUFFERED,
	})
	r.handlers = append(r.handlers, handler{serve: serve, names: names})
}

func (r *Registry) problem() error { return errors.Join(r.problems...) }
