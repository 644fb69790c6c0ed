package supervisor_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/randomtest"
	"github.com/narthex-platform/narthex/supervisor"
)

// Many trees run in real time. Their services crash, fail and panic at any time, while several goroutines
// start, cancel and stop them concurrently. In every case every service has ended and every call returns.
func TestConcurrentStartsAndStops(t *testing.T) {
	t.Parallel()
	trees := uint64(300)
	if testing.Short() {
		trees = 30
	}
	limit := make(chan struct{}, 16)
	var all sync.WaitGroup
	first := randomtest.Seed(t)
	for seed := first; seed != first+trees; seed++ {
		limit <- struct{}{}
		all.Go(func() {
			defer func() { <-limit }()
			hammer(t, randomtest.New(seed, 1))
		})
	}
	all.Wait()
}

func hammer(t *testing.T, random *rand.Rand) {
	f := setup(t)
	soon := func() time.Duration { return time.Duration(random.IntN(2000)) * time.Microsecond }
	var levels [][]supervisor.Child
	for range 1 + random.IntN(4) {
		var level []supervisor.Child
		for range random.IntN(4) {
			level = append(level, supervisor.Child{
				Service: f.actor("s", misbehaving(random.IntN(24), soon(), soon())),
				OnCrash: supervisor.OnCrash(random.IntN(2)),
			})
		}
		levels = append(levels, level)
	}
	ctx, cancel := context.WithTimeout(t.Context(), soon()+5*time.Millisecond)
	defer cancel()
	delays := []time.Duration{soon(), soon() * 2, soon() * 4}

	var callers sync.WaitGroup
	callers.Go(func() {
		for _, level := range levels {
			if f.Start(ctx, level...) != nil {
				return
			}
		}
	})
	for _, delay := range delays {
		callers.Go(func() {
			<-time.After(delay)
			_ = f.Stop()
		})
	}
	callers.Wait()
	_ = f.Stop()
	log := f.noted()
	begun := len(slices.DeleteFunc(slices.Clone(log), func(e string) bool { return e != "s begins" }))
	ended := len(slices.DeleteFunc(log, func(e string) bool { return e != "s ends" }))
	if begun != ended {
		t.Errorf("after Stop: %d runs begun, %d ended, want as many", begun, ended)
	}
}

// misbehaving returns a script that behaves well in most cases and fails in one of six ways in the others.
func misbehaving(way int, first, then time.Duration) func(context.Context, *actor) error {
	return func(ctx context.Context, a *actor) error {
		select {
		case <-time.After(first):
		case <-ctx.Done():
			return ctx.Err()
		}
		switch way {
		case 0:
			return coded("EARLY")
		case 1:
			panic(secret)
		}
		a.isReady()
		select {
		case <-time.After(then):
		case <-ctx.Done():
			return ctx.Err()
		}
		switch way {
		case 2:
			return nil
		case 3:
			return coded("LATE")
		case 4:
			panic(secret)
		}
		<-ctx.Done()
		if way == 5 {
			return coded("AT_STOP")
		}
		return ctx.Err()
	}
}
