package link_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// blocking returns a connection that waits in the kernel, on an end of a socketpair.
func blocking(t *testing.T, conn net.Conn) net.Conn {
	t.Helper()
	end, err := link.NewBlocking(descriptor(t, conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = end.Close() })
	return end
}

// TestBlockingServer checks a server whose reader waits in the kernel: it serves many concurrent calls and
// large ones, and ends when its context ends.
func TestBlockingServer(t *testing.T) {
	near, far := socketpair(t)
	c := client(t, near)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	end := blocking(t, far)
	go func() { served <- link.Serve(ctx, end, echo, 64) }()
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for _, size := range []int{1, 100, 64 << 10, 1 << 20, 10} {
				if err := c.Call(testContext(t), 1, raw(make([]byte, size)), nil); err != nil {
					t.Errorf("Call: error %v, want none; size %v", err, size)
				}
			}
		})
	}
	callers.Wait()
	cancel()
	select {
	case err := <-served:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-testContext(t).Done():
		t.Fatal("still reading")
	}
}

// TestBlockingWrite checks that a peer that stops reading does not delay a write beyond its deadline.
func TestBlockingWrite(t *testing.T) {
	near, far := socketpair(t)
	end := blocking(t, far)
	_ = end.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)) // long enough for the write to begin
	n, err := end.Write(make([]byte, 64<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == 64<<20 {
		t.Errorf("Write: error %v, want %v; n %v, want another; n %v, want another",
			err, os.ErrDeadlineExceeded, n, n)
	}
	_ = end.Close()
	if got, err := io.Copy(io.Discard, near); int(got) != n || err != nil {
		t.Errorf("%d bytes arrived, want %d; error %v", got, n, err)
	}
	if _, err := link.NewBlocking(-1); err == nil {
		t.Error("no socket was taken for one")
	}
}
