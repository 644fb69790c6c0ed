package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// The limits of spec.md § Limits.
const (
	headerTimeout    = 20 * time.Second
	requestTimeout   = 30 * time.Second
	keepAliveTimeout = 5 * time.Second
	maxHeaderBytes   = 16 << 10
)

// Drain is how long requests under way may take at a stop before their connections are closed; a supervisor's own deadline lies
// above it.
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

// Listener serves one handler on one address, as a supervised service that binds once.
type Listener struct {
	address string
	handler http.Handler
	ready   chan struct{}
	bound   net.Addr
}

// NewListener makes the service; nothing is bound before Serve.
func NewListener(address string, handler http.Handler) *Listener {
	return &Listener{address: address, handler: handler, ready: make(chan struct{})}
}

// Ready is closed when the address is bound.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Listener) String() string { return "http" }

// Addr is the bound address, valid after Ready.
func (l *Listener) Addr() net.Addr { return l.bound }

// Serve binds and serves until ctx ends, then closes the listener and waits up to Drain for requests under way. ErrListen when the
// address is taken, ErrDrain when connections had to be closed.
func (l *Listener) Serve(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", l.address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrListen, err)
	}
	l.bound = listener.Addr()
	server := &http.Server{
		Handler:           l.handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		IdleTimeout:       keepAliveTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // its lines carry peer addresses
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	close(l.ready)

	select {
	case err := <-served:
		return fmt.Errorf("%w: %w", ErrListen, err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), Drain)
	defer cancel()
	err = server.Shutdown(drain)
	if err != nil {
		err = errors.Join(ErrDrain, server.Close())
	}
	<-served
	if err != nil {
		return err
	}
	return ctx.Err()
}
