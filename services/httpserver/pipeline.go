package httpserver

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/loglimit"
	"github.com/narthex-platform/narthex/services/principal"
)

// pipeline is the fixed order of gates between the table and a handler: Origin, body, principal, permission
// (docs/reference/http-api.md).
type pipeline struct {
	trusted    originSet
	resolver   Resolver
	authorizer Authorizer
	log        *zap.Logger
	lines      *loglimit.Limiter // for failures that come in numbers
	meter      Meter
}

// run is the chain of one route, flat: no middleware, no map of request values.
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
				call.CancelBody() // net/http would wait for it before a longer response begins
			}
		}
		if len(names) > 0 {
			values, ok := parameters(g.Params, names)
			if !ok {
				httpapi.WriteError(g.Writer, httpapi.ErrNotFound)
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
		return httpapi.ErrBodyTooLarge // before the body is touched, so that no 100 Continue goes out
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
	who, err := p.resolver.Resolve(ctx, call.Request)
	if err != nil {
		return err
	}
	call.Caller = p.authorizer.Caller(who)
	allowed, err := call.Caller.Allowed(ctx, route.Permission)
	if err == nil && !allowed && route.OrPermission != "" {
		allowed, err = call.Caller.Allowed(ctx, route.OrPermission)
	}
	switch {
	case err != nil:
		return err
	case allowed:
		return nil
	case who.Kind == principal.Anonymous:
		return httpapi.ErrAuthentication
	}
	return httpapi.ErrPermission
}

// subjectOf is what routes that fail together have in common: of a module's the path down to its id.
func subjectOf(path string) string {
	segments := strings.SplitN(path, "/", 6) // "", api, v1, modules, an id, the rest
	return strings.Join(segments[:min(len(segments), 5)], "/")
}

// fail responds with the error's code. A status of 500 and above is logged, by its code alone; a 503 of one
// subject once a second, because its cause lasts and every caller meets it. module is the route's.
func (p *pipeline) fail(call *httpapi.Call, w gin.ResponseWriter, subject, module string, err error) {
	// a part of the response was sent: only cutting the connection can tell the client of the failure
	if w.Written() {
		p.log.Error("answer cut off", zap.String("request_id", call.RequestID))
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
		p.lines.Log(code+" "+subject, zap.ErrorLevel, "request failed", fields...)
	} else {
		p.log.Error("request failed", fields...)
	}
}

// recover turns a handler's panic into 500 INTERNAL_ERROR and one line with the request id; value and stack
// go nowhere.
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
