package supervisor

import (
	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// spec is the same for the root and every branch: adding a supervisor to another overwrites its EventHook anyway. Suture's
// own figures for backoff are kept (threshold 5, decay 30 s, pause 15 s with jitter); OnCrash states them.
func (t *Tree) spec() suture.Spec {
	return suture.Spec{EventHook: t.logEvent, Timeout: patience}
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
