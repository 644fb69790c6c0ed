package conformance

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

func checkRoutes(ctx context.Context, t *trial) outcome {
	starts := t.live.process.Status().Starts
	for _, route := range t.live.process.Routes() {
		began := time.Now()
		got := t.live.send(ctx, t.live.small(route, theOwner))
		late := got.failedByHost() && time.Since(began) >= deadlines.Response
		if lost := t.intact(ctx, starts); lost != nil {
			lost.seen = got.String() + "; " + lost.seen
			return withAction(pattern(route), *lost)
		}
		if got.failedByHost() {
			o := failed("%s", got)
			if late {
				o.rule = ruleAnswer
			}
			return withAction(pattern(route), o)
		}
	}
	return passed("%d routes", len(t.live.process.Routes()))
}

func checkProbe(ctx context.Context, t *trial) outcome {
	for _, route := range t.live.process.Routes() {
		if !route.GetProbe() {
			continue
		}
		got := t.live.send(ctx, t.live.small(route, theOwner))
		if got.failedByHost() || got.status/100 != 2 {
			return withAction(pattern(route), failed("%s", got))
		}
		return passed("%s", got)
	}
	return notApplicable("the module names no probe")
}

// withAction sets the outcome's description of the action, for a check with many requests.
func withAction(what string, o outcome) outcome {
	o.asked = what
	return o
}

// checkDenied checks the platform's gates in front of the module's own routes.
func checkDenied(ctx context.Context, t *trial) outcome {
	sent := 0
	for _, route := range t.live.process.Routes() {
		denied := []request{t.live.small(route, nobody)}
		if !openToAll(t.module.Manifest, route.GetPermission()) {
			denied = append(denied, t.live.small(route, somebody))
		}
		if route.GetMethod() != "GET" {
			foreign := t.live.small(route, theOwner)
			foreign.origin = "https://foreign.invalid"
			denied = append(denied, foreign)
		}
		for _, q := range denied {
			before := t.live.reached.Load()
			got := t.live.send(ctx, q)
			asked := fmt.Sprintf("%s, caller %q, origin %q", pattern(route), q.caller, q.origin)
			switch {
			case t.live.reached.Load() != before:
				return withAction(asked, failed("the request reached the module; %s", got))
			case got.status != 401 && got.status != 403:
				return withAction(asked, failed("%s", got))
			}
			sent++
		}
	}
	return passed("%d requests", sent)
}

// left is how many requests to each route are cancelled at once.
const left = 4

func checkCancel(ctx context.Context, t *trial) outcome {
	for _, route := range t.live.process.Routes() {
		before := t.live.process.Status().Starts
		for range left {
			t.live.leave(ctx, route)
		}
		unfinished, err := t.live.settle(ctx, t.stuckWithin())
		switch {
		case err != nil:
			return withAction(pattern(route), failed("%v", err))
		case unfinished > 0:
			return withAction(pattern(route), failed("%d of %d calls that were left go on", unfinished, left))
		case t.live.process.Status().Starts != before:
			return withAction(pattern(route), failed("the process ended: %s", t.lastEnd()))
		}
	}
	return passed("%d routes", len(t.live.process.Routes()))
}

// leave sends a request and resets its connection as soon as it has reached the module. Only the first half
// of a body is sent.
func (i *installation) leave(ctx context.Context, route *abi.Route) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := i.small(route, theOwner)
	if streamed(route) && route.GetMaxBodyBytes() > 1 {
		q.length = min(route.GetMaxBodyBytes(), 1<<20)
		q.body = io.MultiReader(filler(q.length/2), blocked{ctx})
	}
	i.onEntry(cancel)
	defer i.onEntry(nil)
	_ = i.sendBy(ctx, i.leaving, q)
}

// dialToReset makes a connection that is reset when it is closed. A normal close would not cancel the
// request, because its sender may still wait for the response (RFC 9112 §9.6).
func dialToReset(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if socket, ok := conn.(*net.TCPConn); ok {
		err = socket.SetLinger(0)
	}
	return conn, err
}

// blocked is the rest of a body that is never sent.
type blocked struct{ ctx context.Context }

func (b blocked) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

// settle waits until the gateway has finished every request, and the module every call.
func (i *installation) settle(ctx context.Context, within time.Duration) (unfinished int, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		calls, ready := i.process.Unfinished()
		if ready && calls == 0 && i.serving.Load() == 0 {
			return 0, nil
		}
		select {
		case <-ctx.Done():
			if !ready {
				return 0, errNotBack
			}
			return max(calls, int(i.serving.Load())), nil
		case <-tick.C:
		}
	}
}

func (t *trial) lastEnd() string {
	end := t.live.process.Status().LastEnd
	if end == nil {
		return "not at all"
	}
	return endWords(*end)
}

func checkBodies(ctx context.Context, t *trial) outcome {
	sent, routes := 0, 0
	for _, route := range t.live.process.Routes() {
		limit := route.GetMaxBodyBytes()
		if limit == 0 {
			continue
		}
		routes++
		for _, b := range bodiesOf(limit) {
			before := t.live.process.Status().Starts
			got := t.live.send(ctx, request{route: route, caller: theOwner, body: b.content(), length: b.length(),
				within: t.options.response})
			asked := fmt.Sprintf("%s, limit %d, %s", pattern(route), limit, b)
			if lost := t.intact(ctx, before); lost != nil {
				lost.seen = got.String() + "; " + lost.seen
				return withAction(asked, *lost)
			}
			switch {
			case got.failedByHost():
				return withAction(asked, failed("%s", got))
			case b.bytes > limit && got.status != 413 && (!b.chunked || !streamed(route)):
				return withAction(asked, failed("%s, want 413", got))
			}
			sent++
		}
	}
	if routes == 0 {
		return notApplicable("no route takes a body")
	}
	return passed("%d bodies to %d routes", sent, routes)
}

func streamed(route *abi.Route) bool { return route.GetBodyMode() == abi.BodyMode_BODY_MODE_STREAMED }

// body is a request's body.
type body struct {
	bytes   int64
	chunked bool
	pieces  bool
}

// String describes the body to an author.
func (b body) String() string {
	words := []string{fmt.Sprintf("a body of %d bytes", b.bytes)}
	if b.chunked {
		words = append(words, "chunked")
	}
	if b.pieces {
		words = append(words, "in pieces of 64 KiB")
	}
	return strings.Join(words, ", ")
}

func (b body) content() io.Reader {
	if b.pieces {
		return pieces{filler(b.bytes)}
	}
	return filler(b.bytes)
}

func (b body) length() int64 {
	if b.chunked {
		return -1
	}
	return b.bytes
}

// bodiesOf returns the bodies that are sent to a route with this limit.
func bodiesOf(limit int64) (all []body) {
	for _, bytes := range []int64{0, 1, abi.MaxInline - 1, abi.MaxInline, abi.MaxInline + 1, limit - 1, limit} {
		if bytes <= limit && (bytes < abi.MaxInline-1 || bytes >= min(limit-1, abi.MaxInline-1)) {
			all = append(all, body{bytes: bytes}, body{bytes: bytes, chunked: true})
		}
	}
	all = append(all, body{bytes: limit, pieces: true}, body{bytes: limit, chunked: true, pieces: true})
	return append(all, body{bytes: limit + 1}, body{bytes: limit + 1, chunked: true})
}
