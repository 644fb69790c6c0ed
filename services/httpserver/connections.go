package httpserver

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/narthex-platform/narthex/services/loglimit"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// limits are the deadlines and sizes of connections.
type limits struct {
	header  time.Duration // for a complete head, from its first byte; on a new connection from its accept
	request time.Duration // for a complete body, from the head's first byte
	idle    time.Duration // keep-alive: between a response and the next request
	stall   time.Duration // for a peer that takes no bytes of its response
	drain   time.Duration // at a stop, for requests in progress
	head    int           // bytes of a request line and its headers
	// bytes of a response that the kernel buffers for the peer; it doubles them for its own bookkeeping
	unsent int

	handshake time.Duration // at a stop: for handshakes that the client has completed and the kernel has not

	stopIdle   time.Duration // idle time at a stop, so that a request on its way still gets a response
	stopHeader time.Duration // for a complete head at a stop
	linger     time.Duration // between a fault's response and closing the socket; the same as in net/http
	writable   time.Duration // for sending a fault's response

	all       int // all connections
	perClient int
	streams   int // streams of one client
}

func defaultLimits() limits {
	return limits{
		header:     deadlines.Header,
		request:    deadlines.Request,
		idle:       deadlines.Idle,
		stall:      deadlines.Stall,
		drain:      deadlines.Drain,
		head:       16 << 10,
		unsent:     64 << 10,
		handshake:  50 * time.Millisecond,
		stopIdle:   500 * time.Millisecond,
		stopHeader: deadlines.StopHeader,
		linger:     500 * time.Millisecond,
		writable:   100 * time.Millisecond,
		all:        20_000,
		perClient:  4_096,
		streams:    2_048,
	}
}

// connections is the listener from which net/http accepts, and the list of the accepted connections.
type connections struct {
	net.Listener
	limits    limits
	inherited bool
	proxy     func(netip.Addr) bool
	lines     *loglimit.Limiter
	meter     Meter
	faults    func(status int, took time.Duration) // counts the fault responses

	unwatched *unwatched

	halt     chan struct{} // closed when only the connections in the kernel's queue are still accepted
	stopping atomic.Bool
	headsDue time.Time // deadline of heads at a stop; written before stopping
	draining bool      // used only by the goroutine that accepts

	mu         sync.Mutex
	open       *list.List // of *conn, the oldest first, until their socket is closed
	clients    map[netip.Prefix]*client
	unfinished int           // connections that are open, or that net/http still uses
	closing    bool          // no more connections are accepted
	drained    chan struct{} // closed when closing is true and unfinished is 0
}

func newConnections(listener net.Listener, config ListenerConfig, limits limits) *connections {
	return &connections{
		Listener:  listener,
		limits:    limits,
		inherited: config.Inherited != nil,
		proxy:     config.Proxy,
		lines:     loglimit.New(config.Log),
		meter:     meterOf(config.Meter),
		faults:    meterOf(config.Meter).Route("", meterTransport),
		unwatched: newUnwatched(),
		halt:      make(chan struct{}),
		open:      list.New(),
		clients:   make(map[netip.Prefix]*client),
		drained:   make(chan struct{}),
	}
}

func (a *connections) idleLimit() time.Duration {
	if a.stopping.Load() {
		return a.limits.stopIdle
	}
	return a.limits.idle
}

// headBy returns the deadline of a head: t, or at a stop headsDue if that is earlier.
func (a *connections) headBy(t time.Time) time.Time {
	if a.stopping.Load() && a.headsDue.Before(t) {
		return a.headsDue
	}
	return t
}

// stop shortens the deadlines for further requests. It is called after the last accept.
func (a *connections) stop() {
	for _, c := range a.list() {
		c.shortenHeader()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closing = true
	a.checkDrained()
}

// abort closes every socket at once.
func (a *connections) abort() {
	for _, c := range a.list() {
		c.abort()
	}
}

// list returns a copy, because a connection locks a.mu while it holds its own lock.
func (a *connections) list() []*conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	conns := make([]*conn, 0, a.open.Len())
	for e := a.open.Front(); e != nil; e = e.Next() {
		conns = append(conns, e.Value.(*conn))
	}
	return conns
}

// finish is called when a connection's socket is closed and net/http no longer uses the connection.
func (a *connections) finish() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unfinished--
	a.checkDrained()
}

func (a *connections) checkDrained() {
	select {
	case <-a.drained:
	default:
		if a.closing && a.unfinished == 0 {
			close(a.drained)
		}
	}
}

// logLine is one kind of log line about connections. It has no variable text and a limited rate, because
// otherwise a stranger could fill the disk.
type logLine struct {
	text  string
	level zapcore.Level
	every time.Duration // at most one line in this time
	cause string        // for the meter
}

var (
	timeoutLine = logLine{"request timed out", zapcore.WarnLevel, time.Second, CauseDeadline}
	refusedLine = logLine{"request refused by the transport", zapcore.WarnLevel, time.Second,
		CauseMalformed}
	stalledLine  = logLine{"client did not read its response", zapcore.WarnLevel, time.Second, CauseStalled}
	madeRoomLine = logLine{"idle connection closed to make room", zapcore.WarnLevel, time.Second, CauseRoom}
	noRoomLine   = logLine{"connection refused: too many connections", zapcore.WarnLevel, time.Second,
		CauseConns}
	noStreamLine = logLine{"stream refused: too many streams", zapcore.WarnLevel, time.Second, CauseStream}
	brokenLine   = logLine{"connection in an impossible state", zapcore.ErrorLevel, time.Minute, CauseMalformed}
	acceptLine   = logLine{"connections cannot be accepted", zapcore.ErrorLevel, time.Minute, CauseAccept}
)

// logEvent counts one event of a kind.
func (a *connections) logEvent(l logLine) {
	a.meter.Refused(l.cause)
	a.lines.LogEvery(l.every, l.text, l.level, l.text)
}
