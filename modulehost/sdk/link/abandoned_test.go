package link_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestAbandonedCalls: three calls that do not end for 30 s after each was abandoned are reported, and calls
// that end meanwhile are not, however many there are.
func TestAbandonedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := link.NewClient(near)
		stuck := c.WatchAbandoned(3, 30*time.Second)
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = link.Serve(ctx, far, func(ctx context.Context, ends link.Method, _ []byte) (proto.Message, error) {
				if ends == 0 {
					<-ctx.Done()
				} else {
					time.Sleep(time.Duration(ends) * time.Second) // ignores that its caller has left
				}
				return nil, errors.New("nobody reads this")
			}, 16)
		}()
		began := time.Now()
		// abandon makes a call at a time, which is abandoned at once and ends after some seconds; 0: at once
		abandon := func(at time.Duration, ends link.Method) {
			t.Helper()
			time.Sleep(at - time.Since(began))
			call, leave := context.WithTimeout(t.Context(), time.Hour)
			left := make(chan error, 1)
			go func() { left <- c.Call(call, ends, nil, nil) }()
			synctest.Wait()
			leave()
			if err := <-left; !errors.Is(err, context.Canceled) {
				t.Errorf("a call that was abandoned: %v, want %v", err, context.Canceled)
			}
		}
		assertAbandoned := func(at time.Duration, want int) {
			t.Helper()
			time.Sleep(at - time.Since(began))
			synctest.Wait()
			if got := c.Abandoned(); got != want {
				t.Errorf("after %v %d abandoned calls have not ended, want %d", at, got, want)
			}
			select {
			case <-stuck:
				t.Fatalf("after %v the calls count as stuck", at)
			default:
			}
		}
		abandon(0, 250)
		abandon(0, 250)
		for range 5 {
			abandon(time.Second, 0)
		}
		assertAbandoned(2*time.Second, 2)
		abandon(10*time.Second, 29) // ends 1 s before its 30 s are over
		assertAbandoned(39*time.Second-1, 3)
		assertAbandoned(45*time.Second, 2)
		abandon(50*time.Second, 250)
		assertAbandoned(80*time.Second-1, 3)
		<-stuck
		if took := time.Since(began); took != 80*time.Second {
			t.Errorf("the calls count as stuck after %v, want 80s", took)
		}
		_ = c.Close()
		stop()
		<-served
	})
}
