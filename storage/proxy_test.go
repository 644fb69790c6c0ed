package storage_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// wire transforms the bytes of one direction of a proxy; when its reader ends, the connection is closed.
type wire func(io.Reader) io.Reader

func asItIs(r io.Reader) io.Reader { return r }

// cutAfter forwards n bytes of each connection and then closes it.
func cutAfter(n int64) wire { return func(r io.Reader) io.Reader { return io.LimitReader(r, n) } }

// freezeAfter forwards n bytes of each connection and then nothing, until ctx ends.
func freezeAfter(ctx context.Context, n int64) wire {
	return func(r io.Reader) io.Reader { return io.MultiReader(io.LimitReader(r, n), frozen{ctx}) }
}

type frozen struct{ ctx context.Context }

func (f frozen) Read([]byte) (int, error) {
	<-f.ctx.Done()
	return 0, f.ctx.Err()
}

// flip changes the byte at offset of each connection.
func flip(offset int64) wire { return func(r io.Reader) io.Reader { return &flipping{r, offset} } }

type flipping struct {
	io.Reader
	offset int64
}

func (f *flipping) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if f.offset >= 0 && f.offset < int64(n) {
		p[f.offset] ^= 1
	}
	f.offset -= int64(n)
	return n, err
}

// proxy runs in front of a server until the test ends, and returns its own address.
func proxy(t testing.TB, server string, up, down wire) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { pass(ctx, client, server, up, down) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		cancel()
		running.Wait()
	})
	return listener.Addr().String()
}

func pass(ctx context.Context, client net.Conn, server string, up, down wire) {
	defer func() { _ = client.Close() }()
	upstream, err := new(net.Dialer).DialContext(ctx, "tcp4", server)
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = upstream.Close()
	})
	defer stop()
	var ways sync.WaitGroup
	for _, way := range []struct {
		to, from net.Conn
		wire     wire
	}{{upstream, client, up}, {client, upstream, down}} {
		ways.Go(func() {
			_, _ = io.Copy(struct{ io.Writer }{way.to}, way.wire(way.from))
			_ = client.Close()
			_ = upstream.Close()
		})
	}
	ways.Wait()
}
