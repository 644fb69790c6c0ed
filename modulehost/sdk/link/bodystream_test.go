package link_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// bodyStream returns a body socket as a module has it, on an end of a socketpair.
func bodyStream(t *testing.T, conn net.Conn) link.Stream {
	t.Helper()
	stream, err := link.NewBodyStream(descriptor(t, conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Close() })
	return stream
}

// TestBodyStream checks that bytes pass in both directions while the other end is slower, and the end.
func TestBodyStream(t *testing.T) {
	near, far := socketpair(t)
	stream := bodyStream(t, far)
	sent := make([]byte, 8<<20)
	_, _ = rand.Read(sent)
	echoed := make(chan error, 1)
	go func() {
		_, err := io.Copy(struct{ io.Writer }{stream}, struct{ io.Reader }{stream})
		echoed <- errors.Join(err, stream.Close())
	}()
	go func() {
		for rest := sent; len(rest) > 0; {
			n, err := near.Write(rest[:min(len(rest), 100_000)])
			if rest = rest[n:]; err != nil {
				t.Error(err)
				return
			}
		}
		_ = near.(*net.UnixConn).CloseWrite()
	}()
	got, err := io.ReadAll(near)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came back, want the %d sent; error %v", len(got), len(sent), err)
	}
	if err := <-echoed; err != nil {
		t.Error(err)
	}
}

// TestBodyStreamWriters checks that two writes at the same time do not mix.
func TestBodyStreamWriters(t *testing.T) {
	near, far := socketpair(t)
	stream := bodyStream(t, far)
	const size, rounds = 300_000, 20
	var writers sync.WaitGroup
	for _, mark := range []byte("ab") {
		writers.Go(func() {
			for range rounds {
				if _, err := stream.Write(bytes.Repeat([]byte{mark}, size)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	got := make([]byte, size)
	for range 2 * rounds {
		if _, err := io.ReadFull(near, got); err != nil || bytes.Count(got, got[:1]) != size {
			t.Fatalf("%d bytes of %d are the writer's; error %v", bytes.Count(got, got[:1]), size, err)
		}
	}
	writers.Wait()
}

// TestBodyStreamClose checks that Close ends a Read and a Write in progress.
func TestBodyStreamClose(t *testing.T) {
	near, far := socketpair(t)
	stream := bodyStream(t, far)
	ended := make(chan error, 2)
	go func() {
		_, err := stream.Read(make([]byte, 1))
		ended <- err
	}()
	go func() {
		_, err := stream.Write(make([]byte, 64<<20))
		ended <- err
	}()
	if _, err := io.ReadFull(near, make([]byte, 1<<20)); err != nil { // the Write is in progress
		t.Fatal(err)
	}
	_ = stream.Close()
	for range 2 {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("ended without an error")
			}
		case <-testContext(t).Done():
			t.Fatal("still waiting")
		}
	}
	if _, err := link.NewBodyStream(-1); err == nil {
		t.Error("no descriptor was taken for one")
	}
}

// descriptor takes the socket away from conn.
func descriptor(t *testing.T, conn net.Conn) int {
	t.Helper()
	file, err := conn.(*net.UnixConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fd, err := unix.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	return fd
}
