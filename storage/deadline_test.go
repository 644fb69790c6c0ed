package storage_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// TestEveryCallEndsInTime: a service that never responds ends each call after 15 s, in virtual time.
func TestEveryCallEndsInTime(t *testing.T) {
	for call, do := range map[string]func(ctx context.Context, b *storage.Bucket) error{
		"list": func(ctx context.Context, b *storage.Bucket) error {
			_, err := b.List(ctx, "", "", 0)
			return err
		},
		"head":   func(ctx context.Context, b *storage.Bucket) error { _, err := b.Head(ctx, "a"); return err },
		"delete": func(ctx context.Context, b *storage.Bucket) error { return b.Delete(ctx, "a") },
		"get": func(ctx context.Context, b *storage.Bucket) error {
			_, _, err := b.Get(ctx, "a", storage.Range{})
			return err
		},
		"put": func(ctx context.Context, b *storage.Bucket) error {
			_, err := b.Put(ctx, "a", "", strings.NewReader("x"))
			return err
		},
		"large put": func(ctx context.Context, b *storage.Bucket) error {
			_, err := b.Put(ctx, "a", "", io.LimitReader(new(lettersReader), 8<<20))
			return err
		},
	} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := serveInBubble(t, func(http.ResponseWriter, *http.Request) { time.Sleep(time.Hour) })
				began := time.Now()
				if err := do(t.Context(), b); err != storage.ErrTimeout || time.Since(began) != 15*time.Second {
					t.Errorf("%v after %v, want %v after 15s", err, time.Since(began), storage.ErrTimeout)
				}
			})
		})
	}
}

// TestSlowTransferIsNotCut checks that a transfer that moves may take many times the limit, and that a reader
// may pause for longer than the limit.
func TestSlowTransferIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces, pause, limit = 16, 9 * time.Second, 15 * time.Second
		b := serveInBubble(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"e"`)
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Length", fmt.Sprint(pieces<<20))
			}
			for range pieces {
				if r.Method == http.MethodGet {
					_, _ = w.Write(make([]byte, 1<<20))
				} else if _, err := io.CopyN(io.Discard, r.Body, 2<<20); err != nil {
					t.Error(err)
				}
				time.Sleep(pause)
			}
		})
		if _, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 2*pieces<<20)); err != nil {
			t.Error("put:", err)
		}
		_, body, err := b.Get(t.Context(), "a", storage.Range{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = body.Close() }()
		time.Sleep(10 * limit) // the reader pauses
		if _, err := io.CopyN(io.Discard, body, 1<<20); err != nil {
			t.Fatal("get:", err)
		}
		time.Sleep(10 * limit)
		if n, err := io.Copy(io.Discard, body); err != nil || n != (pieces-1)<<20 {
			t.Error("get:", n, err)
		}
	})
}

// TestStalledTransferEnds: 15 s after the last bytes a transfer in either direction is given up.
func TestStalledTransferEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const after = 40 * time.Second // five pieces, 10 s apart
		const want = after + 15*time.Second
		b := serveInBubble(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"e"`)
			w.Header().Set("Content-Length", fmt.Sprint(8<<20))
			for range 5 {
				if r.Method == http.MethodGet {
					_, _ = w.Write(make([]byte, 1<<20))
					_ = http.NewResponseController(w).Flush()
				} else if _, err := io.CopyN(io.Discard, r.Body, 1<<20); err != nil {
					return
				}
				time.Sleep(after / 4)
			}
			time.Sleep(time.Hour)
		})
		began := time.Now()
		_, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 8<<20))
		if took := time.Since(began).Truncate(time.Second); err != storage.ErrTimeout || took != want {
			t.Errorf("put: %v after %v, want %v after %v", err, took, storage.ErrTimeout, want)
		}
		began = time.Now()
		_, body, err := b.Get(t.Context(), "a", storage.Range{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = body.Close() }()
		n, err := io.Copy(io.Discard, body)
		if took := time.Since(began).Truncate(time.Second); n != 5<<20 || err != storage.ErrTimeout ||
			took != want {
			t.Errorf("get: %d bytes, %v, after %v; want 5 MiB, %v after %v", n, err, took, storage.ErrTimeout, want)
		}
	})
}

// serveInBubble returns a bucket of a service that is reached by pipes, for virtual time.
func serveInBubble(t *testing.T, handler http.HandlerFunc) *storage.Bucket {
	t.Helper()
	provider, err := storage.New(setting.Storage{Endpoint: "http://service.test",
		Delivery: "http://service.test", Region: "eu-central-1", ForcePathStyle: true, Spool: t.TempDir(),
		AccessKey: setting.NewSecret("key"), SecretKey: setting.NewSecret("secret")})
	if err != nil {
		t.Fatal(err)
	}
	listener := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	provider.DialBy(func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		listener.dialled <- theirs
		return ours, nil
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Hour}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	t.Cleanup(func() {
		provider.Close()
		_ = server.Close()
		<-served
		time.Sleep(2 * time.Hour) // the handlers end
	})
	return provider.Bucket("m", "b")
}

// pipes is a listener for pipes.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
