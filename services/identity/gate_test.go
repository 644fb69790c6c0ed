package identity_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/identity"
)

func TestGate(t *testing.T) {
	t.Parallel()
	// enter queues a caller and reports how its wait ended.
	enter := func(ctx context.Context, g *identity.Gate) <-chan error {
		ended := make(chan error, 1)
		go func() { ended <- g.Enter(ctx) }()
		synctest.Wait()
		return ended
	}

	t.Run("first come, first served", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewGate(1)
			<-enter(t.Context(), g)
			first, second := enter(t.Context(), g), enter(t.Context(), g)
			g.Leave()
			if err := <-first; err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if len(second) != 0 || g.Waiting() != 1 {
				t.Error("two at once")
			}
			g.Leave()
			if err := <-second; err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("nobody waits longer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewGate(1)
			<-enter(t.Context(), g)
			start := time.Now()
			if err := <-enter(t.Context(), g); !identity.IsBusy(err) || time.Since(start) != identity.GateWait {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			if g.Waiting() != 0 {
				t.Error("still counted")
			}
		})
	})
	t.Run("no more wait", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewGate(1)
			<-enter(t.Context(), g)
			var waiting []<-chan error
			for range identity.GateQueue {
				waiting = append(waiting, enter(t.Context(), g))
			}
			start := time.Now()
			if err := <-enter(t.Context(), g); !identity.IsBusy(err) || time.Since(start) != 0 {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			for _, ended := range waiting {
				g.Leave()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
		})
	})
	t.Run("who is gone leaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			g := identity.NewGate(1)
			<-enter(t.Context(), g)
			ctx, leave := context.WithCancel(t.Context())
			gone, next := enter(ctx, g), enter(t.Context(), g)
			start := time.Now()
			leave()
			if err := <-gone; !identity.IsBusy(err) || time.Since(start) != 0 || g.Waiting() != 1 {
				t.Errorf("%v after %v, %d waiting", err, time.Since(start), g.Waiting())
			}
			g.Leave()
			if err := <-next; err != nil {
				t.Error(err)
			}
		})
	})
}
