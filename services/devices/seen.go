package devices

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	flushEvery   = 15 * time.Second // the database lets through one write a minute and device, whoever else flushes
	maxSightings = 10_000           // devices between two flushes; those past it are seen a little later
)

// sightings are the devices that were resolved since the last flush. Forgetting them costs nothing but a
// later "last seen".
type sightings struct {
	every time.Duration

	mu  sync.Mutex
	ids map[string]struct{}
}

func newSightings() *sightings { return &sightings{every: flushEvery, ids: make(map[string]struct{})} }

func (s *sightings) note(deviceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ids) < maxSightings {
		s.ids[deviceID] = struct{}{}
	}
}

func (s *sightings) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := slices.Collect(maps.Keys(s.ids))
	clear(s.ids)
	return taken
}

// Serve writes from time to time, and once more at the end, which devices were seen. A write that fails is
// logged and given up: a device that is still there is soon seen again.
func (s *Service) Serve(ctx context.Context) error {
	tick := time.NewTicker(s.seen.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.flush(context.WithoutCancel(ctx))
			return ctx.Err()
		case <-tick.C:
			s.flush(ctx)
		}
	}
}

// Ready is closed at once: there is nothing to wait for.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "devices" }

func (s *Service) flush(ctx context.Context) {
	taken := s.seen.take()
	if len(taken) == 0 {
		return
	}
	if err := s.store.markSeen(ctx, taken); err != nil {
		s.log.Warn("last sight of devices not written")
	}
}
