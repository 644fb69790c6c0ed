package realtime

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
)

// Link carries updates between the processes of one installation, over NATS; a supervisor.Service. Hubs never wait for it: while
// the server is away, what they send is kept up to 4,096 messages or 8 MiB, and what is lost beyond shows in the count (see
// origin).
//
// Subjects are narthex.<installation>.<module>.<channel>, and narthex.<installation>._ask for "tell your counts": no module id
// begins with an underscore. Whoever may use these subjects can send updates to every reader.
type Link struct {
	url    environment.Secret
	prefix string
	log    *zap.Logger
	ready  chan struct{}
	hubs   *Hubs // set before Serve
	box    *box[dispatch]
	up     atomic.Bool
	roots  *tls.Config // tests trust a server of their own
}

// dispatch is a message on its way out.
type dispatch struct {
	subject string
	body    []byte
}

const (
	linkMessages = 4_096
	linkBytes    = 8 << 20
	ask          = "_ask"
)

// LinkConfig is what a link needs.
type LinkConfig struct {
	URL environment.Secret // nats:// or tls://, as services/environment has checked it
	// Installation tells apart the installations that share a server, and is the same in all processes of one. It goes out hashed.
	Installation string
	Log          *zap.Logger
}

// NewLink connects nowhere.
func NewLink(config LinkConfig) *Link {
	ready := make(chan struct{})
	close(ready)
	hash := sha256.Sum256([]byte(config.Installation))
	return &Link{
		url:    config.URL,
		prefix: "narthex." + hex.EncodeToString(hash[:8]) + ".",
		log:    config.Log,
		ready:  ready,
		box:    newBox[dispatch](linkMessages, linkBytes),
	}
}

// errLinkClosed is a crash: the client library has given up, which it is told never to do.
var errLinkClosed = errors.New("the backplane's connection is closed")

// Serve keeps a connection until ctx ends; then what is queued goes out, for at most 2 s. It fails only where the client library
// does.
func (l *Link) Serve(ctx context.Context) error {
	l.box.begin()
	defer l.box.end()
	closed := make(chan struct{})
	options := l.options(ctx)
	options.ClosedCB = func(*nats.Conn) { close(closed) }
	conn, err := options.Connect()
	if err != nil {
		return errLinkClosed // without the cause, which may tell the address
	}
	defer func() {
		conn.Close()
		<-closed
		l.turn(false)
	}()
	if _, err := conn.Subscribe(l.prefix+">", l.receive); err != nil {
		return errLinkClosed
	}
	if conn.IsConnected() {
		l.connected(conn) // perhaps once more: what was answered before the subscription is not heard
	}
	for {
		select {
		case <-closed:
			return errLinkClosed
		case <-ctx.Done():
			l.post(conn)
			_ = conn.FlushTimeout(2 * time.Second) // what is lost, others notice
			return ctx.Err()
		case <-l.box.wake:
			l.post(conn)
		}
	}
}

// options are the client's. It buffers nothing itself while the server is away, speaks to no server but the operator's, and
// notices a dead one within 15 s.
func (l *Link) options(ctx context.Context) nats.Options {
	o := nats.GetDefaultOptions()
	o.Url = l.url.Reveal()
	o.Name = "narthex"
	o.NoEcho = true
	o.RetryOnFailedConnect = true
	o.IgnoreAuthErrorAbort = true
	o.IgnoreDiscoveredServers = true
	o.MaxReconnect = -1
	o.ReconnectWait = time.Second
	o.ReconnectBufSize = -1
	o.Timeout = 5 * time.Second
	o.FlusherTimeout = 5 * time.Second
	o.PingInterval = 5 * time.Second
	o.MaxPingsOut = 2
	o.CustomDialer = dialer{ctx}
	if server, err := url.Parse(o.Url); err == nil && server.Scheme == "tls" {
		o.Secure = true
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		if l.roots != nil {
			o.TLSConfig = l.roots
		}
	}
	o.ConnectedCB = l.connected
	o.ReconnectedCB = l.connected
	o.DisconnectedErrCB = func(*nats.Conn, error) { l.turn(false) }
	o.AsyncErrorCB = func(*nats.Conn, *nats.Subscription, error) {
		l.log.Warn("realtime backplane refused something") // its text may name subjects
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
	_ = conn.Publish(l.prefix+ask, nil)
	l.turn(true)
}

func (l *Link) turn(up bool) {
	if l.up.Swap(up) == up {
		return
	}
	if up {
		l.log.Info("realtime backplane connected")
		l.box.signal()
	} else {
		l.log.Warn("realtime backplane left")
	}
	l.tell(linked(up))
}

func (l *Link) tell(m message) {
	for _, hub := range l.hubs.all() {
		hub.box.put(m)
	}
}

// send queues a parcel; what does not fit is lost.
func (l *Link) send(to name, p parcel) {
	l.box.putUpdate(dispatch{l.prefix + to.module + "." + to.channel, p.encode()}, parcelHead+len(p.data))
}

// post sends what is queued, unless the server is away.
func (l *Link) post(conn *nats.Conn) {
	if !l.up.Load() {
		return
	}
	queue, overflowed := l.box.take(nil)
	for _, d := range queue {
		_ = conn.Publish(d.subject, d.body) // what is lost, others notice
	}
	if overflowed {
		l.log.Warn("realtime updates for other processes dropped")
		l.tell(announce{})
	}
}

// receive is called for one message after the other, and never waits.
func (l *Link) receive(m *nats.Msg) {
	to := strings.TrimPrefix(m.Subject, l.prefix)
	if to == ask {
		l.tell(announce{})
		return
	}
	module, channel, _ := strings.Cut(to, ".")
	hub, exists := l.hubs.Hub(module, channel)
	if !exists {
		return
	}
	if p, ok := readParcel(m.Data); ok {
		hub.box.putUpdate(foreign{p}, len(p.data))
	}
}

// Ready is closed at once: readers here need no other process.
func (l *Link) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Link) String() string { return "realtime link" }
