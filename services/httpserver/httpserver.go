// Package httpserver owns what runs the route table: the router (gin), the one pipeline of gates before
// every handler, and the listener with its drain. What a route and a handler are is services/httpapi's.
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

// Resolver tells who sent a request. An error means that the stores cannot tell, never "nobody".
type Resolver interface {
	Resolve(ctx context.Context, r *http.Request) (principal.Principal, error)
}

// Authorizer tells what a principal may do.
type Authorizer interface {
	Caller(p principal.Principal) httpapi.Caller
}

// ClientAddress writes the address of a request's client into the internal header, in place of any copy
// that came along. An error means that it cannot be told.
type ClientAddress interface {
	Stamp(r *http.Request) error
}

// Config is what the pipeline needs.
type Config struct {
	Routes         []httpapi.Route
	TrustedOrigins []environment.Origin // the one list for platform writes and for CORS
	ClientAddress  ClientAddress
	Resolver       Resolver
	Authorizer     Authorizer
	Log            *zap.Logger
	Lines          *loglimit.Limiter // for failures that come in numbers; nil: one of its own that nobody closes
	Meter          Meter             // nil: nothing is counted
}

// New builds the handler of the whole table, once: a request takes one look-up and no lock. It refuses a
// table with a write that lacks a gate, and to serve without knowing its clients.
func New(config Config) (http.Handler, error) {
	var problems []error
	if config.ClientAddress == nil {
		problems = append(problems, errors.New("no client address"))
	}
	for _, route := range config.Routes {
		problems = append(problems, checkGates(route))
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
		authorizer: config.Authorizer,
		log:        config.Log,
		lines:      config.Lines,
		meter:      meterOf(config.Meter),
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

// checkGates is the rule that no write goes without an origin rule and a body limit.
func checkGates(route httpapi.Route) error {
	write := route.Method != http.MethodGet
	switch {
	case route.Handle == nil:
		return fmt.Errorf("route %s %s has no handler", route.Method, route.Path)
	case write && (route.Origin == httpapi.NoOrigin || route.Body == httpapi.NoBody):
		return fmt.Errorf("route %s %s is a write without an origin rule or a body limit", route.Method, route.Path)
	case route.Head && write:
		return fmt.Errorf("route %s %s answers HEAD but is no GET", route.Method, route.Path)
	}
	return nil
}
