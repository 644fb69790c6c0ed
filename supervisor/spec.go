package supervisor

import (
	"math"

	"github.com/thejerf/suture/v4"
)

// spec is the same for the root and every branch. The pause before a restart is the actor's (backoff.go), because suture's own cannot be
// exact: its failures decay and its pauses have jitter. So suture always restarts at once. Suture's events are dropped: the tree logs
// what happens where it happens, and an event may hold a service's error, a panic's value or a stack.
func spec() suture.Spec {
	return suture.Spec{EventHook: func(suture.Event) {}, Timeout: patience, FailureThreshold: math.MaxFloat64}
}
