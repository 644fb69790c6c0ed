package httpserver

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/loglimit"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/store"
)

// pipeline is the fixed order of gates between the table and a handler: Origin, body, principal, permission
// (docs/reference/http-api.md).
type pipeline struct {
	trusted    originSet
	resolver   Resolver
	links      Resolver // of routes for links
	authorizer Authorizer
	log        *zap.Logger
	lines      *loglimit.Limiter // for frequent failures
	meter      Meter
	absent     httpapi.Handler // nil: none
	unmatched  gin.HandlerFunc // responds where no route matches; set by newRouter
}

// run returns the chain of one route. It is one function, without middleware and without a map of request
// values.
func (p *pipeline) run(route httpapi.Route, names []string) gin.HandlerFunc {
	subject := subjectOf(route.Path)
	return func(g *gin.Context) {
		call := &httpapi.Call{
			Writer:    g.Writer,
			Request:   g.Request,
			RequestID: g.Writer.Header()["X-Request-Id"][0],
			MaxBody:   route.MaxBody,
		}
		if c, ok := g.Request.Context().Value(connKey{}).(*conn); ok {
			call.Connection = c
			if route.Body == httpapi.NoBody && g.Request.ContentLength != 0 && !c.bodyReceived() {
				call.CancelBody() // otherwise net/http would wait for the body before it sends a long response
			}
		}
		if len(names) > 0 {
			values, ok := parameters(g.Params, names)
			if !ok {
				p.unmatched(g)
				return
			}
			call.Parameter = values
		}
		defer p.recover(call, g.Writer)
		err := p.gates(call, &route)
		if err == nil {
			err = route.Handle(call)
		} else if route.Denied != nil && (err == httpapi.ErrAuthentication || err == httpapi.ErrPermission) {
			err = route.Denied(call, err)
		}
		if err != nil {
			p.fail(call, g.Writer, subject, route.Module, err)
		}
	}
}

func (p *pipeline) gates(call *httpapi.Call, route *httpapi.Route) error {
	if route.Origin == httpapi.TrustedOrigin && !p.trusted.trusts(call.Request) {
		p.meter.Refused(CauseOrigin)
		return httpapi.ErrOrigin
	}
	if route.Body != httpapi.NoBody && call.Request.ContentLength > route.MaxBody {
		return httpapi.ErrBodyTooLarge // before the body is read, so that no 100 Continue is sent
	}
	if route.Body == httpapi.WholeBody {
		body, err := call.ReadBody()
		if err != nil {
			return err
		}
		call.Body = body
	}
	if route.Permission == "" {
		return nil
	}
	return p.permit(call, route)
}

func (p *pipeline) permit(call *httpapi.Call, route *httpapi.Route) error {
	ctx := call.Request.Context()
	resolver := p.resolver
	if route.Link {
		resolver = p.links
	}
	who, err := resolver.Resolve(ctx, call.Request)
	if err != nil {
		return err
	}
	call.Caller = p.authorizer.Caller(who)
	allowed, err := call.Caller.Allowed(ctx, route.Permission)
	if refused := err == nil && !allowed || errors.Is(err, httpapi.ErrFactorMissing); refused &&
		route.OrPermission != "" {
		if also, orErr := call.Caller.Allowed(ctx, route.OrPermission); also || orErr != nil {
			allowed, err = also, orErr
		}
	}
	switch {
	case err != nil:
		return err
	case allowed:
		return nil
	case route.Link:
		return httpapi.ErrLink
	case who.Kind == principal.Anonymous:
		return httpapi.ErrAuthentication
	}
	return httpapi.ErrPermission
}

// subjectOf returns the common part of routes that usually fail together: for a module's routes the path up
// to the module's id.
func subjectOf(path string) string {
	segments := strings.SplitN(path, "/", 6) // "", api, v1, modules, an id, the rest
	return strings.Join(segments[:min(len(segments), 5)], "/")
}

// fail responds with the error's code. A status of 500 and above is logged, only with its code, and a 503
// with the word for its cause. A 503 of one subject and cause is logged at most once a second, because its
// cause lasts and affects every caller. module is the route's module.
func (p *pipeline) fail(call *httpapi.Call, w gin.ResponseWriter, subject, module string, err error) {
	// a part of the response was sent, so the failure can only be shown to the client by closing the connection
	if w.Written() {
		p.log.Error("response aborted", zap.String("request_id", call.RequestID))
		panic(http.ErrAbortHandler)
	}
	code := httpapi.WriteError(w, err)
	if w.Status() < http.StatusInternalServerError || call.Request.Context().Err() != nil {
		return
	}
	fields := []zap.Field{zap.String("code", code), zap.String("request_id", call.RequestID)}
	if module != "" {
		fields = append(fields, zap.String("module", module))
	}
	if w.Status() == http.StatusServiceUnavailable {
		cause := string(causeOf(code, err))
		p.lines.Log(code+" "+cause+" "+subject, zap.ErrorLevel, "request failed",
			append(fields, zap.String("cause", cause))...)
	} else {
		p.log.Error("request failed", fields...)
	}
}

// causeOf returns the word for the cause of a 503.
func causeOf(code string, err error) store.Cause {
	switch code {
	case "MODULE_OVERLOADED", "PAIRING_CAPACITY":
		return store.Limit
	}
	return store.CauseOf(err)
}

// recover turns a handler's panic into 500 INTERNAL_ERROR and one log line with the request id. Value and
// stack are dropped.
func (p *pipeline) recover(call *httpapi.Call, w gin.ResponseWriter) {
	value := recover()
	if value == nil {
		return
	}
	if value == http.ErrAbortHandler {
		panic(value)
	}
	p.log.Error("handler panicked", zap.String("request_id", call.RequestID))
	if w.Written() {
		panic(http.ErrAbortHandler)
	}
	httpapi.WriteError(w, httpapi.ErrInternal)
}
