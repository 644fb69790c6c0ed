package lookup

import (
	"context"
	"math"
	"time"
)

// Check tests whether a store works, for callers that have nothing to look up, such as a request with a
// forged cookie, which must cost less than a real one. Only one query runs at a time, however many callers
// there are.
type Check struct{ group *Group[struct{}, struct{}] }

// NewCheck makes a Check that waits about timeout for probe; see Limits.Timeout.
func NewCheck(timeout time.Duration, probe func(context.Context) error) *Check {
	limits := Limits{Queries: 1, Batch: math.MaxInt, Timeout: timeout}
	return &Check{
		New(limits, func(ctx context.Context, _ []*Question[struct{}, struct{}]) error { return probe(ctx) }),
	}
}

// Pass fails when probe fails or takes too long. The probe that it waits for began after Pass was called.
func (c *Check) Pass() error {
	_, err := c.group.Find(struct{}{})
	return err
}

// Load returns how many probes are running and how many callers wait for the next one.
func (c *Check) Load() (underWay, waiting int) { return c.group.Load() }
