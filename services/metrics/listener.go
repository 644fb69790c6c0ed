package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

// Error is a stable code of this package.
type Error string

func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// ErrAddress means that no listener can be opened on SERVICE_METRICS_ADDRESS.
const ErrAddress = Error("METRICS_ADDRESS_INVALID")

func (e Error) sentence() string {
	return "The address of SERVICE_METRICS_ADDRESS cannot be used; choose another port or a folder that exists."
}

// Listener serves the metrics on a separate address. It is a supervisor.Service.
type Listener struct {
	network, address string
	handler          http.Handler
	ready            chan struct{}
	bound            net.Addr
}

// NewListener makes the service; nothing is bound before Serve. network is "tcp" or "unix". Only its user and
// group may use a Unix socket.
func NewListener(network, address string, m *Metrics) *Listener {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	return &Listener{network: network, address: address, handler: mux, ready: make(chan struct{})}
}

const (
	scrapeWithin = 10 * time.Second // to read a request and write its response
	maxHead      = 8 << 10
	stopWithin   = 2 * time.Second
)

// Serve binds and serves until ctx ends. Its error is ErrAddress, or ctx's own.
func (l *Listener) Serve(ctx context.Context) error {
	listener, err := l.listen(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAddress, err)
	}
	l.bound = listener.Addr()
	server := &http.Server{
		Handler:        l.handler,
		ReadTimeout:    scrapeWithin,
		WriteTimeout:   scrapeWithin,
		IdleTimeout:    time.Minute,
		MaxHeaderBytes: maxHead,
		ErrorLog:       log.New(io.Discard, "", 0), // its lines contain peer addresses
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	close(l.ready)
	select {
	case err := <-served:
		return fmt.Errorf("%w: %w", ErrAddress, err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if server.Shutdown(stopping) != nil {
		_ = server.Close()
	}
	<-served
	return ctx.Err()
}

// listen binds the address. It removes the Unix socket of a killed process first.
func (l *Listener) listen(ctx context.Context) (net.Listener, error) {
	if l.network != "unix" {
		return new(net.ListenConfig).Listen(ctx, l.network, l.address)
	}
	if info, err := os.Lstat(l.address); err == nil && info.Mode().Type() == fs.ModeSocket && !l.served(ctx) {
		_ = os.Remove(l.address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, l.network, l.address)
	if err != nil {
		return nil, err
	}
	return listener, errors.Join(os.Chmod(l.address, 0o660))
}

// served reports whether a process listens on the socket.
func (l *Listener) served(ctx context.Context) bool {
	conn, err := new(net.Dialer).DialContext(ctx, l.network, l.address)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// Ready is closed when the address is bound.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// Addr returns the bound address. Call it only after Ready is closed.
func (l *Listener) Addr() net.Addr { return l.bound }

// String names the service.
func (l *Listener) String() string { return "metrics" }
