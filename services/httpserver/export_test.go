package httpserver

import (
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/realtime/stream"
)

// Limits are the deadlines and numbers that tests shorten.
type Limits struct {
	Header, Request, Idle, Stall, Drain, Linger, Handshake, StopIdle time.Duration

	All, PerClient, Streams int
}

// Shorten replaces the limits that are not zero.
func (l *Listener) Shorten(limits Limits) {
	for _, each := range []struct {
		limit *time.Duration
		value time.Duration
	}{
		{&l.limits.header, limits.Header},
		{&l.limits.request, limits.Request},
		{&l.limits.idle, limits.Idle},
		{&l.limits.stall, limits.Stall},
		{&l.limits.drain, limits.Drain},
		{&l.limits.linger, limits.Linger},
		{&l.limits.handshake, limits.Handshake},
		{&l.limits.stopIdle, limits.StopIdle},
	} {
		if each.value != 0 {
			*each.limit = each.value
		}
	}
	for _, each := range []struct {
		limit *int
		value int
	}{
		{&l.limits.all, limits.All},
		{&l.limits.perClient, limits.PerClient},
		{&l.limits.streams, limits.Streams},
	} {
		if each.value != 0 {
			*each.limit = each.value
		}
	}
}

// Framing is one request as framing parsed it.
type Framing struct {
	End    int // the offset in the stream after its last byte
	Length int64
	Coded  bool
}

// Follow passes a stream to framing in pieces of one size and returns the complete requests before the first
// refusal.
func Follow(stream []byte, piece int) (requests []Framing) {
	f := framing{maxHead: defaultLimits().head}
	for at, heads := 0, uint(0); at < len(stream); {
		_, used, err := f.follow(stream[at:min(at+piece, len(stream))])
		if at += used; err != nil {
			return requests
		}
		if f.stage == between && f.heads != heads {
			heads = f.heads
			requests = append(requests, Framing{at, f.declared.length, f.declared.coded})
		}
	}
	return requests
}

// Open returns how many connections are open, after Ready.
func (l *Listener) Open() int {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	return l.all.unfinished
}

// HalfClosed returns the number of open connections whose peer has ended its input, after Ready.
func (l *Listener) HalfClosed() (count int) {
	for _, c := range l.all.list() {
		c.mu.Lock()
		if c.halfClosed {
			count++
		}
		c.mu.Unlock()
	}
	return count
}

// Watched returns the number of connections whose clients are watched, after Ready.
func (l *Listener) Watched() (count int) {
	for _, c := range l.all.list() {
		c.mu.Lock()
		if c.watched != nil {
			count++
		}
		c.mu.Unlock()
	}
	return count
}

// PageHeadSize is the response to a head that is too large, of a browser that opens a page.
const PageHeadSize = string(faultPageHeadSize)

// Raw returns the socket of a connection.
func Raw(c stream.Connection) syscall.RawConn { return c.(*conn).raw }
