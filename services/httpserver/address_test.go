package httpserver_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/porttest"
)

// TestTryListen: an address is free until something listens on it, and again afterwards.
func TestTryListen(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "::"} {
		address := net.JoinHostPort(host, strconv.Itoa(porttest.Free(t)))
		try := func(want error) {
			t.Helper()
			err := httpserver.TryListen(t.Context(), address)
			if !errors.Is(err, want) || want != nil && !errors.Is(err, httpserver.ErrListen) {
				t.Errorf("TryListen %s: error %v, want %v", address, err, want)
			}
		}
		try(nil)
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		try(syscall.EADDRINUSE)
		_ = listener.Close()
		try(nil)
	}
	if err := httpserver.TryListen(t.Context(), "192.0.2.1:3000"); !errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Errorf("TryListen on another machine's address: error %v, want %v", err, syscall.EADDRNOTAVAIL)
	}
}

// TestTryListenLeavesTheAddressFree: a program that listens while TryListen looks at the same address
// succeeds.
func TestTryListenLeavesTheAddressFree(t *testing.T) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(porttest.Free(t)))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	var tried atomic.Int32
	go func() {
		defer close(ended)
		for ; ctx.Err() == nil; tried.Add(1) {
			_ = httpserver.TryListen(t.Context(), address)
		}
	}()
	for tried.Load() < 500 {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Errorf("listening beside TryListen: error %v, want none", err)
			break
		}
		_ = listener.Close()
	}
	stop()
	<-ended
}

// TestSockets: a Listener's socket is found by its address and by the addresses that contain or are contained
// in it, and only while it listens.
func TestSockets(t *testing.T) {
	port := strconv.Itoa(porttest.Free(t))
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "::"} {
		address := net.JoinHostPort(host, port)
		listener := httpserver.NewListener(httpserver.ListenerConfig{Address: address,
			Handler: http.NotFoundHandler(), Log: zap.NewNop()})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- listener.Serve(ctx) }()
		<-listener.Ready()
		found := func(host string) bool {
			return slices.Contains(httpserver.Sockets(net.JoinHostPort(host, port)), listener.Socket())
		}
		for _, at := range []string{host, "127.0.0.1", "localhost", "0.0.0.0", "::"} {
			if listener.Socket() == 0 || !found(at) {
				t.Errorf("a Listener on %s has the socket %d and is found at %s: %t, want a number and true", host,
					listener.Socket(), at, found(at))
			}
		}
		if found("127.0.0.2") != (host != "127.0.0.1") {
			t.Errorf("a Listener on %s is found at 127.0.0.2: %t", host, found("127.0.0.2"))
		}
		stop()
		<-ended
		if found(host) {
			t.Errorf("a Listener that has ended is found at %s", host)
		}
	}
}
