// Package httpservertest measures handlers: with the platform's listener, or with a minimal server that could
// do the same work.
package httpservertest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// Serve runs a handler with the platform's listener until the benchmark ends.
func Serve(b *testing.B, handler http.Handler) (address string) {
	b.Helper()
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler,
		Log: zap.NewNop()})
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

// ServeBare runs a handler with a plain http.Server with the listener's deadlines until the benchmark ends.
func ServeBare(b *testing.B, handler http.Handler) (address string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 20 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	b.Cleanup(func() {
		if err := errors.Join(server.Close(), <-ended); !errors.Is(err, http.ErrServerClosed) {
			b.Error(err)
		}
	})
	return listener.Addr().String()
}

// Load sends b.N requests over a number of keep-alive connections and reads each response completely. All
// responses must be as long as the first and begin with want. It implements HTTP itself, because a real
// client would cost more than what is measured.
func Load(b *testing.B, address, request, want string, connections int) {
	b.Helper()
	size := answerSize(b, address, request)
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
			sent, wanted, body := []byte(request), []byte(want), make([]byte, size)
			for range work {
				if _, err := conn.Write(sent); err != nil {
					b.Error(err)
					return
				}
				if _, err := io.ReadFull(conn, body); err != nil || !bytes.HasPrefix(body, wanted) {
					b.Errorf("%v %.80q", err, body)
					return
				}
			}
		})
	}
	clients.Wait()
}

// answerSize returns how many bytes every response to this request has. Headers that change have a constant
// length.
func answerSize(b *testing.B, address, request string) int {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		b.Fatal(err)
	}
	counted := &counter{from: conn}
	reader := bufio.NewReader(counted)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		b.Fatal(err)
	}
	return counted.bytes - reader.Buffered()
}

type counter struct {
	from  io.Reader
	bytes int
}

// Read counts the bytes read.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += n
	return n, err
}
