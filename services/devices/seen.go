package devices

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/store"
)

const (
	flushEvery = 15 * time.Second // markSeen writes a device at most once a minute, whichever process flushes
	maxSeen    = 10_000           // limit of devices between two flushes; others are recorded later
)

// seenDevices is the set of devices that were resolved since the last flush. If it is lost, a "last seen" is
// only updated later.
type seenDevices struct {
	every time.Duration

	mu  sync.Mutex
	ids map[string]struct{}
}

func newSeenDevices() *seenDevices {
	return &seenDevices{every: flushEvery, ids: make(map[string]struct{})}
}

func (s *seenDevices) note(deviceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ids) < maxSeen {
		s.ids[deviceID] = struct{}{}
	}
}

func (s *seenDevices) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := slices.Collect(maps.Keys(s.ids))
	clear(s.ids)
	return taken
}

// Serve stores every 15 s, and once more at its end, which devices were seen. A failed write is logged and
// not repeated: a device that is still in use is soon seen again.
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

// Ready is closed from the start.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "devices" }

func (s *Service) flush(ctx context.Context) {
	taken := s.seen.take()
	if len(taken) == 0 {
		return
	}
	if err := s.store.markSeen(ctx, taken); err != nil {
		s.log.Warn("last seen times of devices not written", zap.String("cause", string(store.CauseOf(err))))
	}
}
