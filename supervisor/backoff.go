package supervisor

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// pauses come before the restarts after a service's first crashes; each later restart waits for lastPause.
var pauses = [...]time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}

const (
	lastPause = 30 * time.Second
	// forgiven is how long a service must run without a crash until its pauses begin anew.
	forgiven = 10 * time.Minute
)

// Pausing is a Service that wants to know when it will be served again.
type Pausing interface {
	// Paused is called after each crash, before the pause, on the goroutine of Serve.
	Paused(until time.Time)
}

// backoff decides how long a service waits after a crash. Only the goroutine of Serve uses it.
type backoff struct {
	crashes int
	last    time.Time
	until   time.Time // when the service may be served again
}

// crashed counts a crash and returns the pause.
func (b *backoff) crashed(now time.Time) (pause time.Duration) {
	if now.Sub(b.last) >= forgiven {
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

// restartLater plans the next Serve.
func (a *actor) restartLater() {
	pause := a.backoff.crashed(time.Now())
	if service, ok := a.Service.(Pausing); ok {
		service.Paused(a.backoff.until)
	}
	if pause > 0 {
		a.tree.log.Warn("service restarts paused", zap.String("service", a.name), zap.Duration("pause", pause))
	}
}

// rest waits until the pause is over or ctx ends.
func (a *actor) rest(ctx context.Context) {
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
