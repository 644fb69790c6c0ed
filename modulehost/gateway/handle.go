package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// handlerDeadline is from the end of the request body to the response (contract.md §7).
const handlerDeadline = 30 * time.Second

// Error is a stable code of the gateway.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The gateway's codes.
const (
	ErrHandler    = Error("MODULE_HANDLER_FAILED")
	ErrOverloaded = Error("MODULE_OVERLOADED")
)

// codeUnavailable is what a process answers while it is down or being restarted.
const codeUnavailable = "MODULE_UNAVAILABLE"

// mount is one module's place on HTTP.
type mount struct {
	module Module
	queue  *queue
}

func (m *mount) handler(index uint32, route *abi.Route) httpapi.Handler {
	root := Prefix + m.module.ID
	names := wildcards(route.GetPath())
	return func(c *httpapi.Call) error {
		body, err := c.ReadBody() // the permission has been decided
		if err != nil {
			return err
		}
		if err := m.queue.enter(c.Request.Context()); err != nil {
			return err
		}
		defer m.queue.leave()
		id, leave := m.module.Calls.EnterCall(c.Caller)
		defer leave()
		request := &abi.HandleRequest{
			Route:     index,
			Call:      id,
			Method:    route.GetMethod(),
			Path:      strings.TrimPrefix(c.Request.URL.EscapedPath(), root),
			Query:     c.Request.URL.RawQuery,
			Headers:   requestHeaders(c.Request.Header),
			Body:      body,
			Principal: message(c.Caller.Principal()),
		}
		for _, name := range names {
			request.Parameters = append(request.Parameters, c.Parameter(name))
		}
		ctx, cancel := context.WithTimeout(c.Request.Context(), handlerDeadline)
		defer cancel()
		var response abi.HandleResponse
		if err := m.module.Process.Call(ctx, abi.Method_METHOD_HANDLE, request, &response); err != nil {
			return handlerError(err)
		}
		return write(c.Writer, &response)
	}
}

// handlerError lets "not there at the moment" through; everything else that may happen to a call is the handler's failure.
func handlerError(err error) error {
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) && coded.Code() == codeUnavailable {
		return err
	}
	return ErrHandler
}

func write(w http.ResponseWriter, response *abi.HandleResponse) error {
	status := int(response.GetStatus())
	if status < 200 || status > 599 {
		return ErrHandler
	}
	responseHeaders(w.Header(), response)
	w.WriteHeader(status)
	_, _ = w.Write(response.GetBody()) // the reader went away: nothing is left to tell it
	return nil
}

func wildcards(path string) (names []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if wildcard.MatchString(segment) {
			names = append(names, segment[1:len(segment)-1])
		}
	}
	return names
}

func message(p principal.Principal) *abi.Principal {
	switch p.Kind {
	case principal.Human:
		return &abi.Principal{Kind: abi.Principal_AUTHENTICATED, UserId: p.UserID}
	case principal.Device:
		return &abi.Principal{Kind: abi.Principal_DEVICE, DeviceId: p.DeviceID}
	}
	return &abi.Principal{}
}
