package link_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

func TestCancelReachesTheHandlerAndTheLateResponseIsDropped(t *testing.T) {
	entered, cancelled, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c := connect(t, 2, func(ctx context.Context, m link.Method, payload []byte) (proto.Message, error) {
		if m == 1 {
			close(entered)
			<-ctx.Done()
			close(cancelled)
			<-release
			return text("late"), nil
		}
		return echo(ctx, m, payload)
	})
	ctx, cancel := context.WithCancel(testContext(t))
	go func() {
		<-entered
		cancel()
	}()
	response := text("untouched")
	if err := c.Call(ctx, 1, nil, response); !errors.Is(err, context.Canceled) {
		t.Fatalf("Call: error %v, want %v", err, context.Canceled)
	}
	<-cancelled // the handler still runs, so the caller did not wait for it
	close(release)
	for range 3 { // the late response arrives before or between these
		if err := c.Call(testContext(t), 2, raw([]byte("x")), &wrapperspb.BytesValue{}); err != nil {
			t.Fatal(err)
		}
	}
	if response.Value != "untouched" {
		t.Fatal("a late response was decoded")
	}
}

func TestDeadlineReachesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes before the handler has the call
		near, far := net.Pipe()
		cancelled := make(chan struct{})
		serve(t, far, 1, func(ctx context.Context, _ link.Method, _ []byte) (proto.Message, error) {
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		})
		c := client(t, near)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := c.Call(ctx, 1, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Call: error %v, want %v", err, context.DeadlineExceeded)
		}
		<-cancelled
	})
}

func TestHandlerContextEndsWithTheLink(t *testing.T) {
	near, far := socketpair(t)
	entered, ended := make(chan struct{}), make(chan struct{})
	served := serve(t, far, 1, func(ctx context.Context, _ link.Method, _ []byte) (proto.Message, error) {
		close(entered)
		<-ctx.Done()
		close(ended)
		return nil, nil
	})
	write(t, near, rawFrame{kind: kindCall, id: 1}.bytes())
	<-entered
	_ = near.Close()
	err := <-served
	select {
	case <-ended:
	default:
		t.Fatal("Serve returned before its handler")
	}
	if !errors.Is(err, link.ErrLost) {
		t.Fatal(err)
	}
}
