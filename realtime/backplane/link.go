package backplane

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/update"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// Link carries updates between the processes of one installation, over NATS; it is a supervisor.Service. Hubs
// never wait for it. While the server is unreachable, up to 4,096 messages or 8 MiB are kept. If more are
// lost, the other processes notice a gap in the numbers (see peer).
//
// Subjects are narthex.<installation>.<module>.<channel>, and narthex.<installation>._ask, which requests the
// numbers of all hubs: no module id begins with an underscore. Every message is signed (see signer), so
// another user of these subjects can only read messages or withhold them.
type Link struct {
	servers []setting.Secret
	prefix  string
	signer  *signer
	own     PeerID // the id of the link's own messages
	log     *zap.Logger
	ready   chan struct{}
	outbox  *update.Queue[dispatch]
	up      atomic.Bool
	late    atomic.Bool  // the server was unreachable
	fault   atomic.Value // why it is unreachable, as a string
	refuse  refusals
	hold    atomic.Int64 // nothing is sent before this time, in ns of Unix time
	resume  *time.Timer  // fires at the end of hold
	roots   *x509.CertPool

	mu       sync.Mutex
	conn     *nats.Conn // nil: not connected
	channels []Channel
}

// Channel is one channel of this process, as the link uses it. Deliver may wait; the other methods never do.
type Channel interface {
	Module() string
	Name() string
	// Deliver passes a message of another process on. The link has verified it.
	Deliver(Message)
	// Announce requests a KindCount from the channel's Peers.
	Announce()
	// Linked tells whether the backplane is connected.
	Linked(up bool)
}

// dispatch is a message to be sent.
type dispatch struct {
	subject string
	message Message
}

// linkLimits bound the messages of all modules together that wait for NATS, and the messages of one channel
// that were received and wait for the channel's hub.
var linkLimits = update.Load{Updates: 4_096, Bytes: 8 << 20}

const (
	ask = "_ask"
	// reconnectWait is the pause between two attempts to connect.
	reconnectWait = time.Second
	// settleTime is how long kept messages wait after the server is reachable again. The other processes connect
	// within the same time, and NATS keeps no messages for absent subscribers.
	settleTime = 3 * reconnectWait / 2
)

// Config configures a link.
type Config struct {
	Servers []setting.Secret // of one NATS cluster, nats:// or tls://, validated by services/environment
	// Installation distinguishes the installations that share a server, and is the same in all processes of one.
	// It is only sent hashed.
	Installation string
	Keys         setting.Keys // sign the messages
	Log          *zap.Logger
	Roots        *x509.CertPool // trusted authorities for tls://; nil: the system's
}

// New returns a link that is not connected.
func New(config Config) *Link {
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
		roots:   config.Roots,
		ready:   ready,
		outbox:  update.NewQueue[dispatch](linkLimits),
		resume:  resume,
	}
}

// errLinkClosed is a crash: the client library has stopped, although it is configured to reconnect for ever.
var errLinkClosed = errors.New("the backplane's connection is closed")

// Serve keeps a connection until ctx ends. Then it sends the queued messages, for at most 2 s. It fails only
// if the client library does.
func (l *Link) Serve(ctx context.Context) error {
	l.outbox.Begin()
	defer l.outbox.End()
	closed := make(chan struct{})
	options := l.options(ctx)
	options.ClosedCB = func(*nats.Conn) { close(closed) }
	conn, err := options.Connect()
	if err != nil {
		return errLinkClosed // without the cause, because it may contain the address
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
		l.connected(conn) // perhaps a second time: responses before the subscription were not received
	}
	look := time.NewTicker(AnnounceInterval)
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
			_ = conn.FlushTimeout(2 * time.Second) // the other processes notice lost messages
			return ctx.Err()
		case <-l.outbox.Wake():
			l.flush(conn)
		case <-l.resume.C:
			l.flush(conn)
		}
	}
}

// options returns the client's options. The client itself buffers nothing while the server is unreachable,
// connects only to the operator's servers, and notices a dead one within 15 s.
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
		if errors.Is(err, nats.ErrSlowConsumer) { // the gap in the numbers shows that
			l.log.Warn("realtime updates of other processes dropped")
		} else {
			l.log.Warn("realtime backplane refused something") // the error's text may contain subjects
		}
	}
	return o
}

// dialer ends its connections' dialing when the service ends.
type dialer struct{ ctx context.Context }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: 5 * time.Second}).DialContext(d.ctx, network, address)
}

// connected requests the other processes' numbers, and sends those of the hubs here.
func (l *Link) connected(conn *nats.Conn) {
	subject := l.prefix + ask
	_ = conn.Publish(subject, l.signer.sign(subject, Message{Kind: kindQuery, Origin: l.own}.encode()))
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
		l.outbox.Signal()
	} else {
		l.late.Store(true)
		l.log.Warn("realtime backplane left")
	}
	for _, channel := range l.all() {
		channel.Linked(up)
	}
}

func (l *Link) all() []Channel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.channels)
}

func (l *Link) announceAll() {
	for _, channel := range l.all() {
		channel.Announce()
	}
}

// send queues a message, or drops it if the queue is full.
func (l *Link) send(to Channel, p Message) {
	l.outbox.PutUpdate(dispatch{l.subject(to), p}, p.Size())
}

// flush sends the queued messages, unless the server is unreachable or settleTime has not passed.
func (l *Link) flush(conn *nats.Conn) {
	if !l.up.Load() {
		return
	}
	if wait := time.Until(time.Unix(0, l.hold.Load())); wait > 0 {
		l.resume.Reset(wait)
		return
	}
	queue, overflowed := l.outbox.Take(nil)
	for _, d := range queue {
		_ = conn.Publish(d.subject, l.signer.sign(d.subject, d.message.encode())) // others notice a loss
	}
	if overflowed {
		l.log.Warn("realtime updates for other processes dropped")
		l.announceAll()
	}
}

// listen subscribes to requests for numbers and to all open channels. Channels that are opened later
// subscribe themselves.
func (l *Link) listen(conn *nats.Conn) error {
	_, err := conn.Subscribe(l.prefix+ask, func(m *nats.Msg) {
		if p, ok := l.read(m); ok && p.Kind == kindQuery {
			l.announceAll()
		}
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
	for _, channel := range l.channels {
		l.subscribe(channel)
	}
	return nil
}

// Follow carries the updates of one more channel from now on.
func (l *Link) Follow(channel Channel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.channels = append(l.channels, channel)
	if l.conn != nil {
		l.subscribe(channel)
	}
}

// subscribe subscribes to one channel. Each subscription has its own goroutine, which waits while the hub
// accepts no more. Messages that arrive meanwhile are queued. If more are lost, the numbers have a gap. The
// caller holds the lock.
func (l *Link) subscribe(channel Channel) {
	subscription, err := l.conn.Subscribe(l.subject(channel), func(m *nats.Msg) {
		if p, ok := l.read(m); ok && p.Kind != kindQuery {
			channel.Deliver(p)
		}
	})
	if err == nil {
		err = subscription.SetPendingLimits(linkLimits.Updates, linkLimits.Bytes)
	}
	if err != nil { // the connection is closed, so Serve ends
		l.log.Warn("realtime channel not followed", zap.String("module", channel.Module()),
			zap.String("channel", channel.Name()))
	}
}

func (l *Link) unfollow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = nil
}

func (l *Link) subject(of Channel) string { return l.prefix + of.Module() + "." + of.Name() }

// read verifies and decodes a message. It refuses messages with an invalid signature, old ones, and
// repetitions.
func (l *Link) read(m *nats.Msg) (p Message, ok bool) {
	body, number, ok := l.signer.verify(m.Subject, m.Data)
	if !ok {
		l.refuse.warn(l.log, "signature")
		return Message{}, false
	}
	if p, ok = readMessage(body); !ok {
		l.refuse.warn(l.log, "format")
		return Message{}, false
	}
	fresh, timely := l.signer.fresh(p.Origin, number)
	if !timely {
		l.refuse.warn(l.log, "clock")
	}
	return p, fresh
}

// Ready is closed from the start, because readers here need no other process.
func (l *Link) Ready() <-chan struct{} { return l.ready }

// String returns the service's name.
func (l *Link) String() string { return "realtime link" }

// Connected reports whether the backplane is connected now.
func (l *Link) Connected() bool { return l.up.Load() }
