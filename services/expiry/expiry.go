// Package expiry owns the periodic deletion of rows whose time is over.
//
// It knows no table: whoever owns one brings a Sweep. Nothing that readers see depends on it, for they
// compare with the database's clock themselves; it only keeps tables from growing.
package expiry

import (
	"context"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"
)

const (
	first  = 10 * time.Second // about, after the start: a process that comes up has better things to do
	every  = 10 * time.Minute // about, from the end of a round to the next
	jitter = 0.2              // of either: several processes share one database
	limit  = 30 * time.Second // for one batch
)

// Sweep is one kind of row.
type Sweep struct {
	// Name is fixed; it is logged.
	Name string
	// Batch deletes some rows, few enough for a short transaction, and tells how many. It returns soon after
	// ctx ends. Rows that another process is deleting are best skipped. It is called from one goroutine.
	Batch func(ctx context.Context) (deleted int, err error)
}

// Service runs sweeps one after the other, again and again. All methods are safe for concurrent use, but
// Serve is called once at a time.
type Service struct {
	log    *zap.Logger
	sweeps []Sweep
	ready  chan struct{}
}

// New runs nothing.
func New(log *zap.Logger, sweeps ...Sweep) *Service {
	ready := make(chan struct{})
	close(ready)
	return &Service{log: log, sweeps: sweeps, ready: ready}
}

// Serve sweeps soon after it is called and then about every ten minutes, until ctx ends.
func (s *Service) Serve(ctx context.Context) error {
	next := time.NewTimer(about(first))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		}
		for _, sweep := range s.sweeps {
			if err := sweep.run(ctx); err != nil && ctx.Err() == nil {
				s.log.Error(
					"sweep failed",
					zap.String("sweep", sweep.Name),
				) // without the cause, which may tell of rows
			}
		}
		next.Reset(about(every))
	}
}

// Ready is closed at once: nobody waits for a sweep.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "expiry sweep" }

// run deletes until nothing is left, or the first error.
func (s Sweep) run(ctx context.Context) error {
	for ctx.Err() == nil {
		deleted, err := s.batch(ctx)
		if err != nil || deleted == 0 {
			return err
		}
	}
	return ctx.Err()
}

func (s Sweep) batch(ctx context.Context) (deleted int, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.Batch(ctx)
}

// about is d, give or take the jitter.
func about(d time.Duration) time.Duration {
	return time.Duration((1 + jitter*(2*rand.Float64()-1)) * float64(d))
}
