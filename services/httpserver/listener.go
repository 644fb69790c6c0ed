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

// ListenerConfig configures a Listener.
type ListenerConfig struct {
	Address   string       // host:port, bound by Serve
	Inherited net.Listener // instead of Address: bound before the process began; Serve closes it
	Handler   http.Handler
	// Proxy reports whether a peer is a trusted proxy, whose connections belong to many clients; nil: there is
	// none.
	Proxy func(netip.Addr) bool
	// Draining is called when no more connections are accepted, to end streams. It may be nil.
	Draining func()
	Meter    Meter // nil: nothing is counted
	Log      *zap.Logger
}

// Listener serves one handler on one address over HTTP/1.1, as a supervised service that binds once. It
// enforces the deadlines of docs/reference/http-api.md and refuses transport faults (408, 431, 400) with
// fixed bytes, each kind with one fixed log line.
type Listener struct {
	config ListenerConfig
	limits limits
	ready  chan struct{}
	bound  net.Addr
	socket uint32
	all    *connections // of the only Serve
}

// NewListener makes a Listener. It binds nothing before Serve.
func NewListener(config ListenerConfig) *Listener {
	return &Listener{config: config, limits: defaultLimits(), ready: make(chan struct{})}
}

// Ready is closed when the address is bound.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Listener) String() string { return "http" }

// Addr returns the bound address. Call it only after Ready is closed.
func (l *Listener) Addr() net.Addr { return l.bound }

// Socket returns the number of the socket (see Sockets), 0 if it is not known. Call it only after Ready is
// closed.
func (l *Listener) Socket() uint32 { return l.socket }

// Serve binds and serves until ctx ends, and then drains. It returns ErrListen when the address cannot be
// used, and ErrDrain when connections with a request in progress had to be closed.
func (l *Listener) Serve(ctx context.Context) error {
	listener, err := l.listen(ctx)
	if err != nil {
		return listenError{err}
	}
	l.bound, l.socket = listener.Addr(), numberOf(listener)
	limits := l.limits
	limits.all = affordableConnections(limits.all)
	all := newConnections(listener, l.config, limits)
	l.all = all
	defer all.lines.Close()
	defer all.unwatched.end()
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
	config := listenConfig()
	return config.Listen(ctx, "tcp", l.config.Address)
}

func listenConfig() (config net.ListenConfig) {
	config.SetMultipathTCP(false) // no client needs it, and refuseNew does not work with its sockets
	return config
}

// newServer makes the http.Server without deadlines, because conn enforces all deadlines and the size of a
// head. MaxHeaderBytes, to which net/http adds 4 KiB, is never reached.
func newServer(gate *gate) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      gate,
		Protocols:                    protocols,
		ConnContext:                  connContext,
		ConnState:                    connState,
		MaxHeaderBytes:               gate.all.limits.head,
		DisableGeneralOptionsHandler: true,                       // the route table handles OPTIONS *
		ErrorLog:                     log.New(io.Discard, "", 0), // its lines contain peer addresses
	}
}

// drain ends the connections after the listener was closed. net/http's own Shutdown closes idle connections
// at once, and would lose requests that are on their way or half read. So idle connections first stay open
// for limits.stopIdle, in which such a request still gets a response, with Connection: close. Requests in
// progress have limits.drain. Then everything is closed.
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
	// net/http's goroutines have closed their connections and are about to end
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("%w: %w", ErrDrain, err)
	}
	return nil
}
