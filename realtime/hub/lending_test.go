package hub_test

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/realtime/stream"
)

// lender lends its socket to streams, as the platform's connections do.
type lender struct {
	*net.TCPConn
	ends *[4]atomic.Int32 // number of streams by their end
}

func (l lender) BeginStream() bool { return true }

func (l lender) Socket() stream.Socket {
	raw, _ := l.SyscallConn()
	return stream.SocketOf(raw)
}

func (l lender) EndStream(how stream.End) {
	l.ends[how].Add(1)
	_ = l.Close()
}

// lending serves the handler on real sockets, which a stream takes from net/http.
func lending(t testing.TB, handler http.HandlerFunc) (address string, ends *[4]atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ends = new([4]atomic.Int32)
	server := &http.Server{Handler: handler, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(64 << 10) // as the platform's listener does
		return stream.WithConnection(ctx, lender{c.(*net.TCPConn), ends})
	}}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return listener.Addr().String(), ends
}
