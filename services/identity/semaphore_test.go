package identity_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/identity"
)

func TestSemaphore(t *testing.T) {
	t.Parallel()
	// enter adds a caller to the queue and returns a channel for the result of Acquire.
	enter := func(ctx context.Context, g *identity.Semaphore) <-chan error {
		ended := make(chan error, 1)
		go func() { ended <- g.Acquire(ctx) }()
		synctest.Wait()
		return ended
	}

	t.Run("first come, first served", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewSemaphore(1)
			<-enter(t.Context(), g)
			first, second := enter(t.Context(), g), enter(t.Context(), g)
			g.Release()
			if err := <-first; err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if len(second) != 0 || g.Waiting() != 1 {
				t.Error("two at once")
			}
			g.Release()
			if err := <-second; err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("nobody waits longer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewSemaphore(1)
			<-enter(t.Context(), g)
			start := time.Now()
			if err := <-enter(t.Context(), g); !identity.IsBusy(err) || time.Since(start) != identity.MaxWait {
				t.Errorf("acquire returned %v after %v, want errBusy after %v", err, time.Since(start), identity.MaxWait)
			}
			if g.Waiting() != 0 {
				t.Error("still counted")
			}
		})
	})
	t.Run("no more wait", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewSemaphore(1)
			<-enter(t.Context(), g)
			var waiting []<-chan error
			for range identity.MaxWaiting {
				waiting = append(waiting, enter(t.Context(), g))
			}
			start := time.Now()
			if err := <-enter(t.Context(), g); !identity.IsBusy(err) || time.Since(start) != 0 {
				t.Errorf("acquire with a full queue returned %v after %v, want errBusy at once", err, time.Since(start))
			}
			for _, ended := range waiting {
				g.Release()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
		})
	})
	t.Run("who is gone leaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewSemaphore(1)
			<-enter(t.Context(), g)
			ctx, leave := context.WithCancel(t.Context())
			gone, next := enter(ctx, g), enter(t.Context(), g)
			start := time.Now()
			leave()
			if err := <-gone; !identity.IsBusy(err) || time.Since(start) != 0 || g.Waiting() != 1 {
				t.Errorf("acquire of a client that left: %v after %v, want errBusy at once; %d wait, want 1",
					err, time.Since(start), g.Waiting())
			}
			g.Release()
			if err := <-next; err != nil {
				t.Error(err)
			}
		})
	})
}
