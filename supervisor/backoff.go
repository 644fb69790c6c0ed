package supervisor

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// pauses are the pauses after a service's first crashes; after every later crash the pause is lastPause.
var pauses = [...]time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
	16 * time.Second}

const (
	lastPause = 30 * time.Second
	// resetAfter is how long a service must run without a crash for its pauses to start again from the first.
	resetAfter = 10 * time.Minute
)

// Pausing is implemented by a Service that needs to know when it will be served again.
type Pausing interface {
	// Paused is called after each crash, before the pause, on the goroutine of Serve.
	Paused(until time.Time)
}

// backoff computes the pause after each crash. Only the goroutine of Serve uses it.
type backoff struct {
	crashes int
	last    time.Time
	until   time.Time // when the service may be served again
}

// crashed records a crash and returns the pause before the restart.
func (b *backoff) crashed(now time.Time) (pause time.Duration) {
	if now.Sub(b.last) >= resetAfter {
		b.crashes = 0
	}
	pause = lastPause
	if b.crashes < len(pauses) {
		pause = pauses[b.crashes]
	}
	b.crashes++
	b.last, b.until = now, now.Add(pause)
	return pause
}

// restartLater computes the pause before the next Serve, notifies the service and logs the pause.
func (a *actor) restartLater() {
	pause := a.backoff.crashed(time.Now())
	if service, ok := a.Service.(Pausing); ok {
		service.Paused(a.backoff.until)
	}
	if pause > 0 {
		a.tree.log.Warn("service restarts paused", zap.String("service", a.name), zap.Duration("pause", pause))
	}
}

// awaitRestart waits until the pause is over or ctx ends.
func (a *actor) awaitRestart(ctx context.Context) {
	pause := time.Until(a.backoff.until)
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
