// Package httpserver serves the route table: the router (gin), the pipeline of gates before every handler,
// and the listener with its drain. services/httpapi defines routes and handlers.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/loglimit"
	"github.com/narthex-platform/narthex/services/principal"
)

// Resolver returns who sent a request. An error means that the stores cannot be read, never "nobody".
type Resolver interface {
	Resolve(ctx context.Context, r *http.Request) (principal.Principal, error)
}

// Authorizer returns the permissions of a principal.
type Authorizer interface {
	Caller(p principal.Principal) httpapi.Caller
}

// ClientAddress writes the address of a request's client into the internal header, replacing any that the
// client sent. An error means that the address cannot be determined.
type ClientAddress interface {
	Stamp(r *http.Request) error
}

// Config configures the pipeline.
type Config struct {
	Routes         []httpapi.Route
	Absent         httpapi.Handler      // sends a page for a path without a route; nil: NOT_FOUND is sent
	TrustedOrigins []environment.Origin // for platform writes and for CORS
	ClientAddress  ClientAddress
	Resolver       Resolver
	Links          Resolver // of routes for links; nil: there are none
	Authorizer     Authorizer
	Log            *zap.Logger
	Lines          *loglimit.Limiter // for frequent failures; nil: a new one that is never closed
	Meter          Meter             // nil: nothing is counted
}

// New builds the handler of the whole table. A request then needs one look-up and no lock. New returns an
// error for a write that lacks a gate, and without a ClientAddress.
func New(config Config) (http.Handler, error) {
	var problems []error
	if config.ClientAddress == nil {
		problems = append(problems, errors.New("no client address"))
	}
	for _, route := range config.Routes {
		problems = append(problems, checkGates(route, config.Links != nil))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if config.Lines == nil {
		config.Lines = loglimit.New(config.Log)
	}
	trusted := newOriginSet(config.TrustedOrigins)
	pipeline := &pipeline{
		trusted:    trusted,
		resolver:   config.Resolver,
		links:      config.Links,
		authorizer: config.Authorizer,
		log:        config.Log,
		lines:      config.Lines,
		meter:      meterOf(config.Meter),
		absent:     config.Absent,
	}
	return &edge{
		trusted:     trusted,
		clients:     config.ClientAddress,
		router:      newRouter(config.Routes, pipeline),
		log:         config.Log,
		preflights:  pipeline.meter.Route(http.MethodOptions, meterPreflight),
		unaddressed: pipeline.meter.Route("", meterAddress),
	}, nil
}

// checkGates returns an error for a write without an origin gate or without a body limit. links is false
// where nothing resolves links.
func checkGates(route httpapi.Route, links bool) error {
	write := route.Method != http.MethodGet
	switch {
	case route.Handle == nil:
		return fmt.Errorf("route %s %s has no handler", route.Method, route.Path)
	case write && (route.Origin == httpapi.NoOrigin || route.Body == httpapi.NoBody):
		return fmt.Errorf("route %s %s is a write without an origin rule or a body limit", route.Method, route.Path)
	case route.Link && (!links || route.Permission == "" || route.OrPermission != ""):
		return fmt.Errorf("route %s %s is for links, which have exactly one permission", route.Method, route.Path)
	case route.Head && write:
		return fmt.Errorf("route %s %s answers HEAD but is no GET", route.Method, route.Path)
	}
	return nil
}
