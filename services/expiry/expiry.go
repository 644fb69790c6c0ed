// Package expiry owns the periodic deletion of expired rows.
//
// It contains no SQL: the owner of a table provides a Sweep. Readers do not depend on it, because they
// compare with the database's clock themselves. It only prevents tables from growing.
package expiry

import (
	"context"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"
)

const (
	first  = 10 * time.Second // after the start, when the database has more urgent work
	every  = 10 * time.Minute // from the end of a round to the next
	jitter = 0.2              // share of both that is random, because several processes use one database
	limit  = 30 * time.Second // for one batch
)

// Sweep deletes one kind of row.
type Sweep struct {
	// Name is a constant; it is logged.
	Name string
	// Batch deletes some rows, few enough for a short transaction, and returns how many. It must return soon
	// after ctx ends, and should skip rows that another process is deleting. It is called from one goroutine.
	Batch func(ctx context.Context) (deleted int, err error)
}

// Service runs sweeps one after the other, again and again. All methods are safe for concurrent use, but
// only one Serve may run at a time.
type Service struct {
	log    *zap.Logger
	sweeps []Sweep
	ready  chan struct{}
}

// New makes a Service. It starts no goroutine.
func New(log *zap.Logger, sweeps ...Sweep) *Service {
	ready := make(chan struct{})
	close(ready)
	return &Service{log: log, sweeps: sweeps, ready: ready}
}

// Serve sweeps about ten seconds after it is called, and then about every ten minutes, until ctx ends.
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
				) // without the cause, which may quote rows
			}
		}
		next.Reset(about(every))
	}
}

// Ready is closed from the start, because no other service waits for a sweep.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "expiry sweep" }

// run deletes until nothing is left, or until the first error.
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

// about returns d changed by a random part of at most jitter.
func about(d time.Duration) time.Duration {
	return time.Duration((1 + jitter*(2*rand.Float64()-1)) * float64(d))
}
