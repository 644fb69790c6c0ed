package sdk_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestWorker: a worker works when it is woken, once for all calls that come meanwhile, and when the work said
// so. Its stop waits for the work, whose context has ended, or until it may wait no longer.
func TestWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worked, again := 0, time.Duration(0)
		w := sdk.NewWorker(func(ctx context.Context) time.Duration {
			worked++
			time.Sleep(time.Second)
			return again
		})
		after := func(pause time.Duration, want int) {
			t.Helper()
			time.Sleep(pause)
			synctest.Wait()
			if worked != want {
				t.Errorf("it has worked %d times, want %d", worked, want)
			}
		}
		after(time.Hour, 0)
		w.Wake()
		after(0, 1)
		for range 3 {
			w.Wake()
		}
		after(time.Hour, 2)
		again = time.Minute
		w.Wake()
		after(30*time.Second, 3)
		w.Wake() // earlier than it wants, which is when it begins anew
		after(30*time.Second, 4)
		after(40*time.Second, 5)
		after(time.Second, 5)

		soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		w.Wake()
		after(0, 6)
		if err := w.Stop(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopping while it works: %v, want %v", err, context.DeadlineExceeded)
		}
		if err := w.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		w.Wake()
		after(time.Hour, 6)
		if err := (*sdk.Worker)(nil).Stop(t.Context()); err != nil {
			t.Errorf("stopping one that was never started: %v", err)
		}
	})
}
