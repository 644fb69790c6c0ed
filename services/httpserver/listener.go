package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"

	"go.uber.org/zap"
)

// Drain is how long requests under way may take at a stop before their connections are closed; a
// supervisor's own deadline lies above it.
const Drain = 30 * time.Second

// Error is a stable code of the listener.
type Error string

func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The listener's codes.
const (
	ErrListen = Error("LISTEN_FAILED")
	ErrDrain  = Error("DRAIN_TIMEOUT")
)

func (e Error) sentence() string {
	if e == ErrListen {
		return "The listen address cannot be used; choose another SERVICE_API_HOST or SERVICE_API_PORT."
	}
	return "Requests were still under way at the end of the drain; their connections were closed."
}

// ListenerConfig is what a Listener serves, and where.
type ListenerConfig struct {
	Address   string       // host:port, bound by Serve
	Inherited net.Listener // in place of Address: bound before the process began; Serve closes it
	Handler   http.Handler
	// whether a peer is a trusted proxy, whose connections are its clients'; nil: none is
	Proxy func(netip.Addr) bool
	// called when no connection is accepted any more, to end endless streams; nil: nothing to do
	Draining func()
	Meter    Meter // nil: nothing is counted
	Log      *zap.Logger
}

// Listener serves one handler on one address over HTTP/1.1, as a supervised service that binds once. It
// keeps the deadlines of docs/reference/http-api.md and refuses transport faults (408, 431, 400) with fixed
// bytes, each kind with one fixed log line.
type Listener struct {
	config ListenerConfig
	limits limits
	ready  chan struct{}
	bound  net.Addr
	all    *connections // of the one Serve
}

// NewListener makes the service; nothing is bound before Serve.
func NewListener(config ListenerConfig) *Listener {
	return &Listener{config: config, limits: defaultLimits(), ready: make(chan struct{})}
}

// Ready is closed when the address is bound.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Listener) String() string { return "http" }

// Addr is the bound address, valid after Ready.
func (l *Listener) Addr() net.Addr { return l.bound }

// Serve binds and serves until ctx ends, then drains: see stop. ErrListen when the address cannot be used,
// ErrDrain when connections had to be closed under a request.
func (l *Listener) Serve(ctx context.Context) error {
	listener, err := l.listen(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrListen, err)
	}
	l.bound = listener.Addr()
	limits := l.limits
	limits.all = affordableConnections(limits.all)
	all := newConnections(listener, l.config, limits)
	l.all = all
	defer all.lines.Close()
	defer all.young.end()
	server := newServer(&gate{handler: l.config.Handler, all: all})
	served := make(chan error, 1)
	go func() { served <- server.Serve(all) }()
	close(l.ready)

	select {
	case err := <-served:
		all.abort()
		return errors.Join(fmt.Errorf("%w: %w", ErrListen, err), server.Close())
	case <-ctx.Done():
	}
	all.stopAccepting()
	<-served
	if l.config.Draining != nil {
		l.config.Draining()
	}
	if err := drain(all, server); err != nil {
		return err
	}
	return ctx.Err()
}

func (l *Listener) listen(ctx context.Context) (net.Listener, error) {
	if l.config.Inherited != nil {
		return l.config.Inherited, nil
	}
	var config net.ListenConfig
	config.SetMultipathTCP(false) // no client needs it, and its sockets cannot refuse new connections at a stop
	return config.Listen(ctx, "tcp", l.config.Address)
}

// newServer leaves every deadline and the size of a head to conn: MaxHeaderBytes, to which net/http adds 4
// KiB, is never reached.
func newServer(gate *gate) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      gate,
		Protocols:                    protocols,
		ConnContext:                  connContext,
		ConnState:                    connState,
		MaxHeaderBytes:               gate.all.limits.head,
		DisableGeneralOptionsHandler: true,                       // OPTIONS * is the table's
		ErrorLog:                     log.New(io.Discard, "", 0), // its lines carry peer addresses
	}
}

// drain ends what the closed listener has left. net/http's own Shutdown closes idle connections at once,
// and with them requests that were on their way or half read. So a connection first stays for a lull in
// which such a request is answered, with Connection: close, and requests under way have limits.drain; then
// everything is closed.
func drain(all *connections, server *http.Server) error {
	all.stop()
	timeout := time.NewTimer(all.limits.drain)
	defer timeout.Stop()
	select {
	case <-all.drained:
	case <-timeout.C:
		all.abort()
		return errors.Join(ErrDrain, server.Close())
	}
	last, cancel := context.WithTimeout(context.Background(), all.limits.drain)
	defer cancel()
	// its goroutines have closed their connections and are about to end
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("%w: %w", ErrDrain, err)
	}
	return nil
}
