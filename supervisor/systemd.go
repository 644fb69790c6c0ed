package supervisor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

// Systemd returns a service that tells systemd how the tree is doing. Started last, it says READY when everything else is; stopped
// first, it says STOPPING and for how long the others may take. In between it answers the watchdog by way of the tree's own loop: a
// tree that no longer turns is restarted. Where systemd does not run the process it does nothing.
func (t *Tree) Systemd() Service {
	ready := make(chan struct{})
	return &systemd{tree: t, ready: ready, isReady: sync.OnceFunc(func() { close(ready) })}
}

type systemd struct {
	tree    *Tree
	ready   chan struct{}
	isReady func()
}

// Ready is closed once systemd has been told.
func (s *systemd) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *systemd) String() string { return "systemd" }

// Serve talks until ctx ends. A message that cannot be sent is logged and nothing worse: systemd's own deadlines decide then.
func (s *systemd) Serve(ctx context.Context) error {
	s.notify("READY=1\nSTATUS=Ready")
	s.isReady()
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		s.tree.log.Warn("systemd watchdog not understood")
	}
	var beat <-chan time.Time
	if interval > 0 {
		ticker := time.NewTicker(interval / 2) // as sd_watchdog_enabled(3) advises
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		select {
		case <-beat:
			s.tree.root.Services() // answered by the loop, or not at all
			s.notify("WATCHDOG=1")
		case <-ctx.Done():
			s.notify(fmt.Sprintf("STOPPING=1\nSTATUS=Stopping\nEXTEND_TIMEOUT_USEC=%d", s.tree.stopLimit().Microseconds()))
			return ctx.Err()
		}
	}
}

func (s *systemd) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.tree.log.Warn("systemd not told", zap.String("service", s.String()))
	}
}

// stopLimit is the longest that a whole stop can take. Called by a service that is being stopped: the one who stops has the turn.
func (t *Tree) stopLimit() time.Duration {
	limit := rootGrace
	for _, a := range t.actors {
		limit += a.StopWithin
	}
	return limit
}
