package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// mount is the HTTP side of one module.
type mount struct {
	module Module
	limits limits
	queue  *queue
	memory link.Memory // the account of the host's memory that the module uses
}

// route is one route of the module.
type route struct {
	*mount
	index    uint32
	method   string
	pattern  string // its path, as the module registered it
	root     string
	names    []string
	streamed bool
	anyBytes bool // it takes a path, query, parameters and headers that are not UTF-8
	limit    int64
	long     atomic.Bool // its last response used a body socket, so the next call lends one from the beginning
	shared   atomic.Bool // that response had at least link.SharedBody
}

func newRoute(m *mount, index uint32, declared *abi.Route, root string) *route {
	return &route{
		mount:    m,
		index:    index,
		method:   declared.GetMethod(),
		pattern:  declared.GetPath(),
		root:     root,
		names:    wildcards(declared.GetPath()),
		streamed: declared.GetBodyMode() == abi.BodyMode_BODY_MODE_STREAMED,
		anyBytes: declared.GetAnyBytes(),
		limit:    declared.GetMaxBodyBytes(),
	}
}

// handle handles one request. A buffered body is read completely before the module is called; of a streamed
// one nothing is read before the handler reads.
func (r *route) handle(c *httpapi.Call) (err error) {
	defer func() { r.module.Load.count(err) }()
	if !r.anyBytes && !hasTextPath(c.Request.URL) {
		if c.Request.ContentLength != 0 {
			c.CancelBody()
		}
		return httpapi.ErrRequest
	}
	if err := r.queue.join(); err != nil {
		if c.Request.ContentLength != 0 {
			c.CancelBody()
		}
		return err
	}
	defer r.queue.leave()
	var body *bufferedBody
	if !r.streamed {
		if body, err = r.read(c); err != nil { // after the permission was checked
			return err
		}
		defer body.release()
	} else if c.Request.ContentLength != 0 {
		piece := counted{memory: r.memory}
		if err := piece.reserve(link.PieceBuffer); err != nil {
			c.CancelBody()
			return err
		}
		defer piece.release()
	}
	ctx := c.Request.Context()
	if err := r.queue.enter(ctx); err != nil {
		return err
	}
	defer r.queue.done()
	return r.call(c, body)
}

// call calls the module when the request has a slot. body is nil on a streamed route.
func (r *route) call(c *httpapi.Call, body *bufferedBody) (err error) {
	ctx := c.Request.Context()
	streams := r.streamed && c.Request.ContentLength != 0
	var long *link.BufferedBody
	var lane *link.LaneBody
	var short []byte
	if body != nil {
		short, long, lane = body.short, body.long, body.lane
	}
	id, leave := r.module.Calls.EnterCall(c.Caller)
	defer leave()

	request, response := r.request(c, id), new(abi.HandleResponse)
	upload := time.Duration(0)
	if streams { // a body that is not complete in time is the listener's to refuse: it ends the request
		upload = r.limits.upload
	}
	x, err := r.module.Process.Begin(ctx, link.Outgoing{
		Method:   link.Method(abi.Method_METHOD_HANDLE),
		Request:  request,
		Response: response,
		Within:   r.limits.response,
		Upload:   upload,
		Pause:    r.limits.piece,
		Streamed: streams,
	}, func(o *link.Outgoing) (err error) {
		switch {
		case lane != nil:
			request.BodyFollows, request.BodyBytes = true, length(c.Request, nil)
			err = lane.Lend(o) // ErrLost if the process was restarted since
		case streams || long != nil:
			o.Body = long
			request.BodyFollows, request.BodyBytes = true, length(c.Request, long)
			shares := streams && (c.Request.ContentLength < 0 || c.Request.ContentLength > link.ShortBody)
			o.Socket, err = o.Bodies.Take(ctx, shares) // a buffered body is copied anyway
		case r.long.Load():
			o.Socket = o.Bodies.Spare(r.shared.Load())
		}
		if o.Socket != nil {
			request.BodySocket = o.Socket.Descriptor()
		}
		if !request.BodyFollows {
			request.Body = short
		}
		return err
	})
	if err != nil && streams {
		c.CancelBody()
	}
	if err != nil {
		return beginError(err)
	}
	defer x.Close()
	if long != nil || lane != nil {
		if err := x.SendBody(ctx); err != nil {
			return ErrHandler
		}
		body.release() // the handler may still run for a long time
	}
	err = x.AwaitResponse(ctx, func() { x.Upload(c.Request.Body, r.limit) })
	if streams {
		whole, cut := x.Halt(c.CancelBody)
		if !whole {
			c.CancelBody()
		}
		switch { // whatever the handler has responded
		case errors.Is(cut, link.ErrBodyOverflow):
			return httpapi.ErrBodyTooLarge
		case errors.Is(cut, link.ErrBodyAborted), !whole &&
			err == context.Canceled: // a Read that fails ends the context first
			return httpapi.ErrBodyAborted
		}
	}
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			r.tell("no response within %v, so the client got 500 MODULE_HANDLER_FAILED; the handler's ctx has ended "+
				"before: pass it on to what the handler waits for", r.limits.response)
		}
		return responseError(err)
	}
	return r.respond(c, x, response)
}

// tell tells the author of the module why a client did not get the module's response.
func (r *route) tell(format string, arguments ...any) {
	if r.module.Tell != nil {
		r.module.Tell("error: " + r.method + " " + r.pattern + ": " + fmt.Sprintf(format, arguments...))
	}
}

func (r *route) request(c *httpapi.Call, id uint64) *abi.HandleRequest {
	request := &abi.HandleRequest{
		Route:     r.index,
		Call:      id,
		Method:    r.method,
		Path:      []byte(strings.TrimPrefix(c.Request.URL.EscapedPath(), r.root)),
		Query:     []byte(c.Request.URL.RawQuery),
		Headers:   requestHeaders(c.Request.Header, r.anyBytes),
		Principal: message(c.Caller.Principal()),
	}
	if r.module.HouseRev != nil {
		rev := r.module.HouseRev()
		request.HouseRev = &rev
	}
	for _, name := range r.names {
		request.Parameters = append(request.Parameters, []byte(c.Parameter(name)))
	}
	return request
}

// hasTextPath reports whether the path's values and the query are UTF-8. A module built with an SDK that
// declares no any_bytes cannot decode the message of a request for which it returns false.
func hasTextPath(u *url.URL) bool { return utf8.ValidString(u.Path) && utf8.ValidString(u.RawQuery) }

// length returns the length of a buffered body, or the Content-Length of a streamed one.
func length(r *http.Request, long *link.BufferedBody) *uint64 {
	claimed := r.ContentLength
	if long != nil {
		claimed = int64(len(long.Data()))
	}
	if claimed < 0 {
		return nil
	}
	known := uint64(claimed)
	return &known
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
	case principal.Link:
		return &abi.Principal{Kind: abi.Principal_LINK, LinkId: p.LinkID, Subject: p.Subject}
	}
	return &abi.Principal{}
}
