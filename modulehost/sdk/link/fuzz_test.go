package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// scriptedConn is a connection whose peer sends fixed bytes and then closes. It records what is written to
// it.
type scriptedConn struct {
	net.Conn
	input io.Reader
	start <-chan struct{} // the first read waits for it

	mu   sync.Mutex
	told bytes.Buffer
}

func (s *scriptedConn) Read(b []byte) (int, error) {
	<-s.start
	return s.input.Read(b)
}

func (s *scriptedConn) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told.Write(b)
}

func (s *scriptedConn) SetWriteDeadline(time.Time) error { return nil }
func (s *scriptedConn) SetReadDeadline(time.Time) error  { return nil }
func (s *scriptedConn) Close() error                     { return nil }

func seeds(f *testing.F) {
	for _, b := range brokenHeads {
		f.Add(b)
	}
	for kind := range byte(10) {
		one := rawFrame{kind: kind, method: 3, id: 1, payload: []byte{10, 1, 'x'}}.bytes()
		two := rawFrame{kind: kind, id: 2}.bytes()
		f.Add(one)
		f.Add(slices.Concat(two, one, two))
	}
	f.Add(rawFrame{kind: kindFailure, id: 1, payload: failurePayload("DATABASE_FAILED", []byte{1})}.bytes())
	f.Add(rawFrame{kind: kindCall, id: 1, payload: make([]byte, 70<<10)}.bytes())
}

// FuzzClient checks that, whatever a peer sends, both calls in flight return and the client ends.
func FuzzClient(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, said []byte) {
		start := make(chan struct{})
		c := link.NewClient(&scriptedConn{input: bytes.NewReader(said), start: start})
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		var callers sync.WaitGroup
		callers.Go(func() {
			err := c.Call(ctx, 1, nil, &wrapperspb.StringValue{})
			var failure *link.Failure
			if err != nil && !errors.Is(err, link.ErrLost) && !errors.As(err, &failure) {
				t.Error("call:", err)
			}
		})
		callers.Go(func() {
			if err := c.Ping(ctx); err != nil && !errors.Is(err, link.ErrLost) {
				t.Error("ping:", err)
			}
		})
		close(start)
		callers.Wait()
		<-c.Done()
		if !errors.Is(c.Err(), link.ErrLost) {
			t.Error(c.Err())
		}
		_ = c.Close()
	})
}

// FuzzServer checks that, whatever a peer sends, Serve returns and writes well-formed frames only.
func FuzzServer(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, said []byte) {
		start := make(chan struct{})
		close(start)
		peer := &scriptedConn{input: bytes.NewReader(said), start: start}
		if err := link.Serve(context.Background(), peer, echo, 2); !errors.Is(err, link.ErrLost) {
			t.Errorf("link.Serve: error %v, want %v", err, link.ErrLost)
		}
		for {
			result, err := readFrame(&peer.told)
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal("the server's own frame:", err)
			}
			if result.kind != kindResponse && result.kind != kindFailure && result.kind != kindPong {
				t.Fatal("a server sent kind", result.kind)
			}
		}
	})
}
