package expiry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/expiry"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// serve runs sweeps with a fake clock. stop ends them and returns how long that took.
func serve(
	t *testing.T,
	sweeps ...expiry.Sweep,
) (logged *observer.ObservedLogs, stop func() time.Duration) {
	t.Helper()
	core, logged := observer.New(zap.DebugLevel)
	service := expiry.New(zap.New(core), sweeps...)
	<-service.Ready()
	if service.String() != "expiry sweep" {
		t.Errorf("String: %s, want expiry sweep", service)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx) }()
	return logged, func() time.Duration {
		at := time.Now()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: error %v, want %v", err, context.Canceled)
		}
		return time.Since(at)
	}
}

func TestPausesBetweenSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var rounds []time.Duration
		_, stop := serve(t, expiry.Sweep{Name: "rows", Batch: func(context.Context) (int, error) {
			rounds = append(rounds, time.Since(began))
			return 0, nil
		}})
		time.Sleep(24 * time.Hour)
		stop()
		if rounds[0] > time.Minute {
			t.Errorf("the first round came after %v, want at most 1 m", rounds[0])
		}
		var pauses []time.Duration
		for i := range rounds[1:] {
			pauses = append(pauses, rounds[i+1]-rounds[i])
		}
		if least, most := slices.Min(pauses), slices.Max(pauses); least < 8*time.Minute ||
			most > 12*time.Minute ||
			most-least < time.Minute {
			t.Errorf("pauses of %v to %v, want 8 to 12 m, not all equal", least, most)
		}
	})
}

func TestBatchesUntilNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, batches := 2500, 0
		_, stop := serve(t, expiry.Sweep{Name: "rows", Batch: func(context.Context) (int, error) {
			batches++
			deleted := min(rows, 1000)
			rows -= deleted
			return deleted, nil
		}})
		time.Sleep(time.Minute)
		stop()
		if rows != 0 || batches != 4 {
			t.Errorf("%d rows are left after %d batches, want 0 after 4", rows, batches)
		}
	})
}

// A failing sweep logs one line per round, which contains only its name, and does not stop the other sweeps.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		swept := 0
		logged, stop := serve(
			t,
			expiry.Sweep{
				Name:  "broken",
				Batch: func(context.Context) (int, error) { return 7, errors.New("anna@example.org") },
			},
			expiry.Sweep{Name: "sound", Batch: func(context.Context) (int, error) { swept++; return 0, nil }},
		)
		time.Sleep(20 * time.Minute)
		stop()
		if swept < 2 || logged.Len() != swept {
			t.Errorf("%d rounds and %d lines, want one line a round", swept, logged.Len())
		}
		for _, line := range logged.All() {
			if fields := line.ContextMap(); line.Message != "sweep failed" || len(fields) != 1 ||
				fields["sweep"] != "broken" {
				t.Errorf("logged %v, want \"sweep failed\" with the sweep's name alone", line)
			}
		}
	})
}

// A hanging batch is cancelled after 30 s, and the other sweeps continue.
func TestBatchDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hung time.Duration
		swept := false
		logged, stop := serve(t,
			expiry.Sweep{Name: "hanging", Batch: func(ctx context.Context) (int, error) {
				at := time.Now()
				<-ctx.Done()
				hung = time.Since(at)
				return 0, ctx.Err()
			}},
			expiry.Sweep{Name: "sound", Batch: func(context.Context) (int, error) { swept = true; return 0, nil }},
		)
		time.Sleep(2 * time.Minute)
		stop()
		if hung != 30*time.Second || !swept || logged.Len() != 1 {
			t.Errorf("hung for %v, want 30 s; others swept: %v, want true; logged %v, want one line", hung,
				swept, logged.All())
		}
	})
}

// Serve ends at once when its context ends, and nothing is logged as a failure: in a pause, in a batch that
// waits, and between batches that never end.
func TestStop(t *testing.T) {
	for name, batch := range map[string]func(context.Context) (int, error){
		"paused":  func(context.Context) (int, error) { return 0, nil },
		"waiting": func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() },
		"endless": func(context.Context) (int, error) { time.Sleep(time.Millisecond); return 1, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logged, stop := serve(
					t,
					expiry.Sweep{Name: "rows", Batch: batch},
					expiry.Sweep{Name: "more", Batch: batch},
				)
				time.Sleep(15 * time.Second)
				if took := stop(); took > time.Millisecond || logged.Len() != 0 {
					t.Errorf("the stop took %v, want none; logged %v, want nothing", took, logged.All())
				}
			})
		})
	}
}
