package httpserver

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// limits are spec.md § Limits' and what belongs to them.
type limits struct {
	header  time.Duration // to a whole head, from its first byte; on a new connection from its begin
	request time.Duration // to a whole body, from the head's first byte
	idle    time.Duration // between an answer and the next request
	drain   time.Duration // at a stop, for requests under way
	head    int           // bytes of a request line and its headers

	lull     time.Duration // idle, at a stop: a request that was on its way is still answered
	linger   time.Duration // between a fault's answer and the socket's end; what net/http itself takes
	writable time.Duration // for a fault's answer to leave
}

func specLimits() limits {
	return limits{
		header:   20 * time.Second,
		request:  30 * time.Second,
		idle:     5 * time.Second,
		drain:    Drain,
		head:     16 << 10,
		lull:     500 * time.Millisecond,
		linger:   500 * time.Millisecond,
		writable: 100 * time.Millisecond,
	}
}

// connections is the listener that net/http accepts from, and the list of what it accepted.
type connections struct {
	net.Listener
	limits   limits
	log      *zap.Logger
	stopping atomic.Bool

	mu      sync.Mutex
	open    map[*conn]struct{}
	drained chan struct{} // closed when stopping and none is open
}

func newConnections(listener net.Listener, limits limits, log *zap.Logger) *connections {
	return &connections{
		Listener: listener,
		limits:   limits,
		log:      log,
		open:     make(map[*conn]struct{}),
		drained:  make(chan struct{}),
	}
}

// Accept wraps what is accepted.
func (a *connections) Accept() (net.Conn, error) {
	socket, err := a.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := newConn(socket, a)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[c] = struct{}{}
	return c, nil
}

func (a *connections) idleLimit() time.Duration {
	if a.stopping.Load() {
		return a.limits.lull
	}
	return a.limits.idle
}

// stop shortens the wait for further requests. The listener must be closed and nobody accepting any more.
func (a *connections) stop() {
	a.stopping.Store(true)
	for _, c := range a.list() {
		c.hurry()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.checkDrained()
}

// abort closes every socket.
func (a *connections) abort() {
	for _, c := range a.list() {
		c.abort()
	}
}

// list is a copy, since a connection takes this lock under its own.
func (a *connections) list() []*conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]*conn, 0, len(a.open))
	for c := range a.open {
		list = append(list, c)
	}
	return list
}

func (a *connections) remove(c *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, open := a.open[c]; open {
		delete(a.open, c)
		a.checkDrained()
	}
}

func (a *connections) checkDrained() {
	select {
	case <-a.drained:
	default:
		if a.stopping.Load() && len(a.open) == 0 {
			close(a.drained)
		}
	}
}
