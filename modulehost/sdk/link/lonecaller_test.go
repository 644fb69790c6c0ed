package link_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestSequentialCalls checks a caller without others beside it: it can give up, does not delay later callers,
// and gets the loss of the link.
func TestSequentialCalls(t *testing.T) {
	near, far := socketpair(t)
	c := client(t, near)
	serve(t, far, 8, func(ctx context.Context, m link.Method, payload []byte) (proto.Message, error) {
		if m == 2 {
			<-ctx.Done()
		}
		return echo(ctx, m, payload)
	})
	alone := func() { // sequential calls
		for range 200 {
			if err := c.Call(testContext(t), 1, raw([]byte("x")), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 5 {
		alone()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if err := c.Call(ctx, 2, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("left:", err)
		}
		cancel()
	}
	alone()
	ctx, cancel := context.WithCancel(testContext(t))
	var stuck sync.WaitGroup
	stuck.Go(func() { _ = c.Call(ctx, 2, nil, nil) })
	alone()
	if err := c.Ping(testContext(t)); err != nil {
		t.Error(err)
	}
	cancel()
	stuck.Wait()
	alone()
	lost := make(chan error, 1)
	go func() { lost <- c.Call(testContext(t), 2, nil, nil) }()
	time.AfterFunc(10*time.Millisecond, func() { _ = far.Close() })
	if err := <-lost; !errors.Is(err, link.ErrLost) {
		t.Error(err)
	}
}

// TestLossBetweenCalls checks that a loss is noticed on an idle link.
func TestLossBetweenCalls(t *testing.T) {
	for range 10 {
		near, far := socketpair(t)
		c := client(t, near)
		served := serve(t, far, 8, echo)
		for range 100 {
			if err := c.Call(testContext(t), 1, raw([]byte("x")), nil); err != nil {
				t.Fatal(err)
			}
		}
		_ = far.Close()
		<-served
		select {
		case <-c.Done():
		case <-testContext(t).Done():
			t.Fatal("nobody noticed")
		}
	}
}
