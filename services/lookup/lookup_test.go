package lookup_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/lookup"
)

// TestDeadline checks that with a database that never responds, a caller of the last batch waits no longer
// than one of the first. If each batch started its own deadline when its turn came, the last would wait three
// times as long.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout, batch = 5 * time.Second, 10
		group := lookup.New(lookup.Limits{Queries: 2, Batch: batch, Timeout: timeout},
			func(ctx context.Context, _ []*lookup.Question[int, string]) error {
				<-ctx.Done()
				return ctx.Err()
			})
		began := time.Now()
		var asking sync.WaitGroup
		for n := range 2 + 3*batch {
			asking.Go(func() {
				_, err := group.Find(n)
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != timeout {
					t.Errorf("look-up %d ended with %v after %v, want %v after %v", n, err, took,
						context.DeadlineExceeded, timeout)
				}
			})
			if n < 2 {
				synctest.Wait() // one by one, because a query includes all waiting look-ups
			}
		}
		synctest.Wait()
		if running, waiting := group.Load(); running != 2 || waiting != 3*batch {
			t.Fatalf("%d queries run and %d look-ups wait, want 2 and %d", running, waiting, 3*batch)
		}
		asking.Wait()
	})
}
