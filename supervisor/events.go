package supervisor

import (
	"time"

	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// What a crash loop may cost: suture forgets what it has counted when a pause ends, so five starts and a pause of 30 s at least make
// ten starts in the first minute at most.
const (
	crashesAtOnce = 4 // answered at once
	pause         = 30 * time.Second
)

// spec is the same for the root and every branch: adding a supervisor to another overwrites its EventHook anyway. Suture's own decay
// (30 s) and jitter (half a pause) are kept; OnCrash states them.
func (t *Tree) spec() suture.Spec {
	return suture.Spec{EventHook: t.logEvent, Timeout: patience, FailureThreshold: crashesAtOnce, FailureBackoff: pause}
}

// logEvent runs on the goroutine of the supervisor that it tells of, so it does nothing but write a line. Messages are fixed;
// of the event only the name is taken, because the rest may hold a service's error, a panic's value or a stack.
// Crashes, panics and passed deadlines are logged where the tree sees them itself.
func (t *Tree) logEvent(event suture.Event) {
	switch e := event.(type) {
	case suture.EventBackoff:
		t.log.Warn("service restarts paused", zap.String("service", e.SupervisorName))
	case suture.EventResume:
		t.log.Info("service restarts resumed", zap.String("service", e.SupervisorName))
	}
}
