// Package httpapitest runs a route table as the platform does, without a server, so that a service's tests
// send requests and look at the responses.
package httpapitest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// RequestID is the id of every request here.
const RequestID = "request-1"

// Serve handles a request as the pipeline does after the Origin gate: body limit, permission, handler,
// error. Without a caller it checks no permission.
func Serve(w http.ResponseWriter, r *http.Request, routes []httpapi.Route, caller httpapi.Caller) {
	if err := handle(w, r, routes, caller); err != nil {
		httpapi.WriteError(w, err)
	}
}

// Send is Serve with a recorder. It panics when a handler fails after it has begun to write; the real
// pipeline would close the connection.
func Send(r *http.Request, routes []httpapi.Route, caller httpapi.Caller) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	if err := handle(w, r, routes, caller); err != nil {
		if w.Body.Len() > 0 {
			panic("the handler failed after it had begun to write: " + err.Error())
		}
		httpapi.WriteError(w, err)
	}
	return w
}

func handle(w http.ResponseWriter, r *http.Request, routes []httpapi.Route, caller httpapi.Caller) error {
	for _, route := range routes {
		values, ok := match(route, r)
		if !ok {
			continue
		}
		c := &httpapi.Call{
			Writer: w, Request: r, RequestID: RequestID, MaxBody: route.MaxBody,
			Parameter: func(name string) string { return values[name] },
		}
		if route.Body == httpapi.WholeBody {
			var err error
			if c.Body, err = c.ReadBody(); err != nil {
				return err
			}
		}
		if route.Permission != "" && caller != nil {
			c.Caller = caller
			allowed, err := caller.Allowed(r.Context(), route.Permission)
			if err == nil && !allowed && route.OrPermission != "" {
				allowed, err = caller.Allowed(r.Context(), route.OrPermission)
			}
			switch {
			case err != nil:
				return err
			case !allowed && route.Denied != nil:
				return route.Denied(c, httpapi.ErrPermission)
			case !allowed:
				return httpapi.ErrPermission
			}
		}
		return route.Handle(c)
	}
	return httpapi.ErrNotFound
}

func match(route httpapi.Route, r *http.Request) (values map[string]string, ok bool) {
	pattern, path := strings.Split(route.Path, "/"), strings.Split(r.URL.EscapedPath(), "/")
	if route.Method != r.Method || len(pattern) != len(path) {
		return nil, false
	}
	values = make(map[string]string)
	for i, part := range pattern {
		name, named := strings.CutPrefix(part, "{")
		if !named {
			if part != path[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(path[i])
		if err != nil || value == "" {
			return nil, false
		}
		values[strings.TrimSuffix(name, "}")] = value
	}
	return values, true
}
