package link_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestStoppedPeer uses a peer that never reads. net.Pipe has no buffer, so the first write blocks. The clock
// is fake.
func TestStoppedPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		c := link.NewClient(near)
		defer c.Close()
		began := time.Now()
		var callers sync.WaitGroup
		for i := range 3 {
			callers.Go(func() {
				within := time.Duration(i+1) * 100 * time.Millisecond
				ctx, cancel := context.WithTimeout(context.Background(), within)
				defer cancel()
				err := c.Call(ctx, 1, nil, nil)
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) ||
					took > within+time.Millisecond {
					t.Errorf("call %d ended after %v with %v, want %v after %v", i, took, err,
						context.DeadlineExceeded, within)
				}
			})
		}
		callers.Wait()
		<-c.Done()
		if took := time.Since(began); took != 2*time.Second || !errors.Is(c.Err(), link.ErrLost) {
			t.Errorf("the link ended after %v with %v, want %v after 2 s", took, c.Err(), link.ErrLost)
		}
	})
}

// TestStoppedPeerOfAServer uses a peer that sends calls and never reads a response.
func TestStoppedPeerOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		served := make(chan error, 1)
		go func() { served <- link.Serve(t.Context(), far, echo, 4) }()
		began := time.Now()
		for id := range 3 {
			write(t, near, rawFrame{kind: kindCall, id: uint32(id)}.bytes())
		}
		err := <-served
		if took := time.Since(began); took != 2*time.Second || !errors.Is(err, link.ErrLost) {
			t.Errorf("Serve ended after %v with %v, want %v after 2 s", took, err, link.ErrLost)
		}
	})
}

// TestFullSocket is TestStoppedPeer with a real socket: calls are written until the kernel's buffer is full.
// Calls before and after that end at their deadlines, until the link is lost.
func TestFullSocket(t *testing.T) {
	near, far := socketpair(t)
	c := client(t, near)
	request := raw(make([]byte, 64<<10))
	ended := 0
	for ended < 1000 { // ten times as long as a link with a blocked write lives
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		err := c.Call(ctx, 1, request, nil)
		cancel()
		if errors.Is(err, link.ErrLost) {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		ended++
	}
	if ended == 0 || ended == 1000 {
		t.Errorf("the link was lost after %d calls, want one to 999", ended)
	}
	_ = far.Close()
}

// TestWritesCombine checks that frames that wait behind a blocked write are sent with one write.
func TestWritesCombine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		slow := &slowConn{Conn: near, release: make(chan struct{})}
		c := link.NewClient(slow)
		defer c.Close()
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = link.Serve(t.Context(), far, echo, 64)
		}()
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				if err := c.Call(ctx, 1, raw(nil), &wrapperspb.BytesValue{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait() // one call writes, 49 wait for their responses
		close(slow.release)
		callers.Wait()
		if slow.writes > 2 {
			t.Errorf("%d writes for 50 frames, want at most 2", slow.writes)
		}
		_ = c.Close()
		<-served
	})
}

// TestCallsReturnWhileOthersAreQueued makes each write take a millisecond and find new frames in the queue. A
// caller that writes must return when its own response has arrived, although others keep adding frames.
func TestCallsReturnWhileOthersAreQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := link.NewClient(&slowConn{Conn: near, takes: time.Millisecond})
		defer c.Close()
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = link.Serve(t.Context(), far, echo, 64)
		}()
		began := time.Now()
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for time.Since(began) < time.Second {
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					sent := time.Now()
					if err := c.Call(ctx, 1, raw(nil), nil); err != nil {
						t.Error(err)
					}
					cancel()
					if took := time.Since(sent); took > 50*time.Millisecond {
						t.Errorf("a call took %v, want at most 50 ms", took)
					}
				}
			})
		}
		callers.Wait()
		_ = c.Close()
		<-served
	})
}

// slowConn is a connection whose writes are slow and have no deadline.
type slowConn struct {
	net.Conn
	release chan struct{} // nil: not blocked
	takes   time.Duration
	writes  int
}

func (s *slowConn) Write(b []byte) (int, error) {
	s.writes++
	if s.release != nil {
		<-s.release
	}
	n, err := s.Conn.Write(b)
	time.Sleep(s.takes) // slow on purpose
	return n, err
}

func (s *slowConn) SetWriteDeadline(time.Time) error { return nil }
