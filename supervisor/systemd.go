package supervisor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

// Systemd returns a service that reports the tree's state to systemd. Started last, it sends READY when
// every other service is ready. Stopped first, it sends STOPPING and how long the other services may take.
// In between it sends the watchdog's keep-alive, each time after a response from the tree's own loop:
// systemd restarts a process whose loop hangs. It does nothing where systemd does not run the process.
func (t *Tree) Systemd() Service {
	ready := make(chan struct{})
	return &systemd{tree: t, ready: ready, isReady: sync.OnceFunc(func() { close(ready) })}
}

type systemd struct {
	tree    *Tree
	ready   chan struct{}
	isReady func()
}

// Ready is closed once READY was sent.
func (s *systemd) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *systemd) String() string { return "systemd" }

// Serve sends until ctx ends. A message that cannot be sent is only logged: systemd then acts by its own
// deadlines.
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
			s.tree.root.Services() // returns only when the loop responds
			s.notify("WATCHDOG=1")
		case <-ctx.Done():
			s.notify(fmt.Sprintf("STOPPING=1\nSTATUS=Stopping\nEXTEND_TIMEOUT_USEC=%d",
				s.tree.stopLimit().Microseconds()))
			return ctx.Err()
		}
	}
}

func (s *systemd) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.tree.log.Warn("systemd not notified", zap.String("service", s.String()))
	}
}

// stopLimit is the longest that a whole stop can take. Only a service that is being stopped may call it:
// the stop holds the turn, so t.actors does not change.
func (t *Tree) stopLimit() time.Duration {
	limit := rootGrace
	for _, a := range t.actors {
		limit += a.StopWithin
	}
	return limit
}
