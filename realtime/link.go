package realtime

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
)

// Link carries updates between the processes of one installation, over NATS; a supervisor.Service. Hubs
// never wait for it: while the server is away, what they send is kept up to 4,096 messages or 8 MiB, and
// what is lost beyond shows in the count (see peer).
//
// Subjects are narthex.<installation>.<module>.<channel>, and narthex.<installation>._ask for "tell your
// counts": no module id begins with an underscore. Every message is signed (see signer): who may use these
// subjects can hold messages back and read them, and nothing else.
type Link struct {
	servers []environment.Secret
	prefix  string
	signer  *signer
	own     peerID // of what the link itself says
	log     *zap.Logger
	ready   chan struct{}
	hubs    *Hubs // set before Serve
	outbox  *boundedQueue[dispatch]
	up      atomic.Bool
	late    atomic.Bool  // the server was away
	fault   atomic.Value // why it is, as a string
	refuse  refusals
	hold    atomic.Int64 // until this time nothing is sent, in ns of Unix time
	resume  *time.Timer  // the end of hold
	roots   *tls.Config  // tests trust a server of their own

	mu       sync.Mutex
	conn     *nats.Conn // nil: none
	followed map[*Hub]struct{}
}

// dispatch is a message on its way out.
type dispatch struct {
	subject string
	message peerMessage
	charge  *charge // of the message's data
}

// linkLimits bound what waits for NATS, and what of one channel has come from it and waits for the
// channel's hub.
var linkLimits = load{updates: 4_096, bytes: 8 << 20}

const (
	ask = "_ask"
	// reconnectWait is the pause between two attempts to connect.
	reconnectWait = time.Second
	// settleTime is how long what is kept waits after the server has come back: the other processes connect
	// within the same time, and NATS keeps no messages for absent subscribers.
	settleTime = 3 * reconnectWait / 2
)

// LinkConfig is what a link needs.
type LinkConfig struct {
	Servers []environment.Secret // of one NATS, nats:// or tls://, as services/environment has checked them
	// Installation tells apart the installations that share a server, and is the same in all processes of one.
	// It goes out hashed.
	Installation string
	Keys         environment.Keys // sign what is sent
	Log          *zap.Logger
}

// NewLink connects nowhere.
func NewLink(config LinkConfig) *Link {
	ready := make(chan struct{})
	close(ready)
	resume := time.NewTimer(time.Hour)
	resume.Stop()
	hash := sha256.Sum256([]byte(config.Installation))
	return &Link{
		servers: config.Servers,
		prefix:  "narthex." + hex.EncodeToString(hash[:8]) + ".",
		signer:  newSigner(config.Keys, config.Installation),
		own:     newPeerID(),
		log:     config.Log,
		ready:   ready,
		outbox:  newBoundedQueue[dispatch](linkLimits),
		resume:  resume,
	}
}

// errLinkClosed is a crash: the client library has given up, although it is configured to reconnect for ever.
var errLinkClosed = errors.New("the backplane's connection is closed")

// Serve keeps a connection until ctx ends; then what is queued goes out, for at most 2 s. It fails only
// where the client library does.
func (l *Link) Serve(ctx context.Context) error {
	l.outbox.begin()
	defer func() {
		for _, d := range l.outbox.end() {
			d.charge.drop(0)
		}
	}()
	closed := make(chan struct{})
	options := l.options(ctx)
	options.ClosedCB = func(*nats.Conn) { close(closed) }
	conn, err := options.Connect()
	if err != nil {
		return errLinkClosed // without the cause, which may tell the address
	}
	l.late.Store(!conn.IsConnected())
	defer func() {
		l.resume.Stop()
		l.unfollow()
		conn.Close()
		<-closed
		l.setConnected(false)
	}()
	if err := l.listen(conn); err != nil {
		return errLinkClosed
	}
	if conn.IsConnected() {
		l.connected(conn) // perhaps once more: what was answered before the subscription is not heard
	}
	look := time.NewTicker(announceInterval)
	defer look.Stop()
	for {
		select {
		case <-closed:
			return errLinkClosed
		case <-look.C:
			if !conn.IsConnected() {
				l.failed(conn.LastError())
			}
		case <-ctx.Done():
			l.hold.Store(0)
			l.flush(conn)
			_ = conn.FlushTimeout(2 * time.Second) // what is lost, others notice
			return ctx.Err()
		case <-l.outbox.wake:
			l.flush(conn)
		case <-l.resume.C:
			l.flush(conn)
		}
	}
}

// options are the client's. It buffers nothing itself while the server is away, speaks to no server but the
// operator's, and notices a dead one within 15 s.
func (l *Link) options(ctx context.Context) nats.Options {
	o := nats.GetDefaultOptions()
	o.Servers = reveal(l.servers)
	o.Name = "narthex"
	o.NoEcho = true
	o.RetryOnFailedConnect = true
	o.IgnoreAuthErrorAbort = true
	o.IgnoreDiscoveredServers = true
	o.MaxReconnect = -1
	o.ReconnectWait, o.ReconnectJitter, o.ReconnectJitterTLS = reconnectWait, reconnectWait/10, reconnectWait/10
	o.ReconnectBufSize = -1
	o.Timeout = 5 * time.Second
	o.FlusherTimeout = 5 * time.Second
	o.PingInterval = 5 * time.Second
	o.MaxPingsOut = 2
	o.CustomDialer = dialer{ctx}
	secure(&o, l.roots)
	o.ReconnectErrCB = func(_ *nats.Conn, err error) { l.failed(err) }
	o.ConnectedCB = l.connected
	o.ReconnectedCB = l.connected
	o.DisconnectedErrCB = func(*nats.Conn, error) { l.setConnected(false) }
	o.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrSlowConsumer) { // the count shows it
			l.log.Warn("realtime updates of other processes dropped")
		} else {
			l.log.Warn("realtime backplane refused something") // its text may name subjects
		}
	}
	return o
}

// dialer ends with the service.
type dialer struct{ ctx context.Context }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: 5 * time.Second}).DialContext(d.ctx, network, address)
}

// connected asks the others how far they are, and tells them how far the hubs here are.
func (l *Link) connected(conn *nats.Conn) {
	subject := l.prefix + ask
	_ = conn.Publish(subject, l.signer.sign(subject, peerMessage{kind: kindQuery, origin: l.own}.encode()))
	l.setConnected(true)
}

func (l *Link) setConnected(up bool) {
	if l.up.Swap(up) == up {
		return
	}
	if up {
		if l.late.Load() {
			l.hold.Store(time.Now().Add(settleTime).UnixNano())
		}
		l.fault.Store("")
		l.log.Info("realtime backplane connected")
		signal(l.outbox.wake)
	} else {
		l.late.Store(true)
		l.log.Warn("realtime backplane left")
	}
	l.notifyHubs(linked(up))
}

func (l *Link) notifyHubs(m message) {
	for _, hub := range l.hubs.all() {
		hub.inbox.put(m)
	}
}

// send queues a message. It is dropped if the queue is full.
func (l *Link) send(to name, p peerMessage, charged *charge) {
	charged.keep(0)
	if !l.outbox.putUpdate(dispatch{l.subject(to), p, charged}, p.size()) {
		charged.drop(0)
	}
}

// flush sends what is queued, unless the server is away or was until a moment ago.
func (l *Link) flush(conn *nats.Conn) {
	if !l.up.Load() {
		return
	}
	if wait := time.Until(time.Unix(0, l.hold.Load())); wait > 0 {
		l.resume.Reset(wait)
		return
	}
	queue, overflowed := l.outbox.take(nil)
	for _, d := range queue {
		_ = conn.Publish(d.subject, l.signer.sign(d.subject, d.message.encode())) // what is lost, others notice
		d.charge.drop(0)
	}
	if overflowed {
		l.log.Warn("realtime updates for other processes dropped")
		l.notifyHubs(announce{})
	}
}

// listen hears what other processes ask, and the channels that are open; those that are opened later follow.
func (l *Link) listen(conn *nats.Conn) error {
	_, err := conn.Subscribe(l.prefix+ask, func(m *nats.Msg) {
		if p, ok := l.read(m); ok && p.kind == kindQuery {
			l.notifyHubs(announce{})
		}
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.conn, l.followed = conn, make(map[*Hub]struct{})
	l.mu.Unlock()
	for _, hub := range l.hubs.all() {
		l.follow(hub)
	}
	return nil
}

// follow hears one channel. Each has a subscription and so a goroutine of its own, which waits when the hub
// takes no more: what came meanwhile is kept before it, and what is lost beyond shows in the count.
func (l *Link) follow(hub *Hub) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, done := l.followed[hub]; l.conn == nil || done {
		return
	}
	l.followed[hub] = struct{}{}
	subscription, err := l.conn.Subscribe(l.subject(hub.name), func(m *nats.Msg) {
		if p, ok := l.read(m); ok && p.kind != kindQuery {
			hub.deliver(p)
		}
	})
	if err == nil {
		err = subscription.SetPendingLimits(linkLimits.updates, linkLimits.bytes)
	}
	if err != nil { // the connection is closed: Serve ends
		l.log.Warn("realtime channel not followed", zap.String("module", hub.name.module),
			zap.String("channel", hub.name.channel))
	}
}

func (l *Link) unfollow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.followed = nil, nil
}

func (l *Link) subject(of name) string { return l.prefix + of.module + "." + of.channel }

// read verifies and decodes a message. It refuses one that another installation signed, an old one, and a
// repetition.
func (l *Link) read(m *nats.Msg) (p peerMessage, ok bool) {
	body, number, ok := l.signer.verify(m.Subject, m.Data)
	if !ok {
		l.refuse.warn(l.log, "signature")
		return peerMessage{}, false
	}
	if p, ok = readPeerMessage(body); !ok {
		l.refuse.warn(l.log, "format")
		return peerMessage{}, false
	}
	fresh, timely := l.signer.fresh(p.origin, number)
	if !timely {
		l.refuse.warn(l.log, "clock")
	}
	return p, fresh
}

// Ready is closed at once: readers here need no other process.
func (l *Link) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Link) String() string { return "realtime link" }
