package link_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestEndOfServeIsALoss checks that the failure of a handler whose link has ended is not sent: its caller
// could take it for a result.
func TestEndOfServeIsALoss(t *testing.T) {
	for range 20 { // either of two goroutines may be first
		near, far := socketpair(t)
		ctx, end := context.WithCancel(context.Background())
		entered := make(chan struct{})
		served := make(chan error, 1)
		go func() {
			served <- link.Serve(ctx, far, func(ctx context.Context, _ link.Method, _ []byte) (proto.Message, error) {
				close(entered)
				<-ctx.Done()
				return nil, &link.Failure{CodeText: "FAILED"}
			}, 1)
		}()
		c := client(t, near)
		called := make(chan error, 1)
		go func() { called <- c.Call(testContext(t), 1, nil, nil) }()
		<-entered
		end()
		if err := <-called; !errors.Is(err, link.ErrLost) {
			t.Errorf("Call: error %v, want %v", err, link.ErrLost)
		}
		<-served
	}
}
