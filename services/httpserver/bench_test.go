package httpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// BenchmarkListener measures a small keep-alive GET through the listener beside a bare http.Server with the same deadlines: compare
// ns/op of "listener" with "bare". The client speaks HTTP by hand.
func BenchmarkListener(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, "ok") })
	for _, connections := range []int{1, 32} {
		b.Run(fmt.Sprintf("connections=%d/bare", connections), func(b *testing.B) {
			keepAlive(b, serveBare(b, handler), connections)
		})
		b.Run(fmt.Sprintf("connections=%d/listener", connections), func(b *testing.B) {
			keepAlive(b, serveListener(b, handler), connections)
		})
	}
}

func serveBare(b *testing.B, handler http.Handler) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 20 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	b.Cleanup(func() {
		if err := errors.Join(server.Close(), <-ended); !errors.Is(err, http.ErrServerClosed) {
			b.Error(err)
		}
	})
	return listener.Addr().String()
}

func serveListener(b *testing.B, handler http.Handler) string {
	b.Helper()
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler, Log: zap.NewNop()})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- listener.Serve(ctx) }()
	<-listener.Ready()
	b.Cleanup(func() {
		if stop(); !errors.Is(<-ended, context.Canceled) {
			b.Error("the stop failed")
		}
	})
	return listener.Addr().String()
}

// keepAlive sends b.N requests over a number of connections and reads each answer whole.
func keepAlive(b *testing.B, address string, connections int) {
	b.ReportAllocs()
	request, want := []byte("GET /small HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n"), answer("ok")
	work := make(chan struct{}, b.N)
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	var clients sync.WaitGroup
	b.ResetTimer()
	for range connections {
		clients.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			got := make([]byte, len(want))
			for range work {
				if _, err := conn.Write(request); err != nil {
					b.Error(err)
					return
				}
				if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
					b.Errorf("%v %q", err, got)
					return
				}
			}
		})
	}
	clients.Wait()
}
