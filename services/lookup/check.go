package lookup

import (
	"context"
	"math"
	"time"
)

// Check asks whether a store could answer at all, for callers who bring nothing to look up: a forged cookie
// must cost less than a real one. However many ask, one query is under way at a time.
type Check struct{ group *Group[struct{}, struct{}] }

// NewCheck makes a Check that waits for probe at most about as long as patience.
func NewCheck(patience time.Duration, probe func(context.Context) error) *Check {
	limits := Limits{Queries: 1, Batch: math.MaxInt, Timeout: patience}
	return &Check{
		New(limits, func(ctx context.Context, _ []*Question[struct{}, struct{}]) error { return probe(ctx) }),
	}
}

// Pass fails when probe does, or does not answer in time. The probe that it waits for began after Pass was
// called.
func (c *Check) Pass() error {
	_, err := c.group.Find(struct{}{})
	return err
}

// Load tells how many probes are under way and how many callers wait for the next one.
func (c *Check) Load() (underWay, waiting int) { return c.group.Load() }
