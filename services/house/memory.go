package house

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/store"
)

// Serve reads the house at once and then every 10 s until ctx ends. It returns the error of the first read,
// unless an earlier Serve has read the house. Later errors do not end it, because it keeps the last state.
func (s *Service) Serve(ctx context.Context) (err error) {
	if s.state.Load() == nil {
		if err := s.read(ctx); err != nil {
			return err
		}
	}
	s.becomeReady()
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		before := err
		err = s.read(ctx)
		if err != nil && before == nil && ctx.Err() == nil {
			s.log.Warn("house not read, keeping the last state",
				zap.String("cause", string(store.CauseOf(err))))
		}
	}
}

// Ready is closed when the house was read for the first time.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "house" }

// becomeReady closes the channel once; only Serve calls it.
func (s *Service) becomeReady() {
	select {
	case <-s.ready:
	default:
		close(s.ready)
	}
}

func (s *Service) read(ctx context.Context) error {
	found, err := s.store.read(ctx)
	if err == nil {
		s.keep(found)
	}
	return err
}

// keep replaces the state by found, unless the state is newer, because a read that began before a change may
// end after it.
func (s *Service) keep(found state) {
	for {
		held := s.state.Load()
		if held != nil && held.rev > found.rev {
			return
		}
		if s.state.CompareAndSwap(held, &found) {
			return
		}
	}
}
