// Package health owns the two answers to "are you there": live while the process serves, ready only when modules have started,
// shutdown has not begun and the database answers (spec.md § Health, § Readiness).
package health

import (
	"context"
	"sync/atomic"
	"time"
)

// PingTimeout bounds one database ping.
const PingTimeout = 2 * time.Second

// Error is a stable code of this package.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// ErrNotReady is every reason for not being ready, told apart to nobody.
const ErrNotReady = Error("NOT_READY")

// Health holds the readiness state and shares one ping among all who ask. Safe for concurrent use.
type Health struct {
	phase  atomic.Int32
	pinger *pinger
}

const (
	starting int32 = iota
	started
	stopping
)

// New makes a Health that is not ready. ping asks the database once and returns when its context ends.
func New(ping func(context.Context) error) *Health {
	return &Health{pinger: newPinger(ping)}
}

// Started tells that module startup has completed. After Stopping it changes nothing.
func (h *Health) Started() { h.phase.CompareAndSwap(starting, started) }

// Stopping tells that shutdown has begun: from now on nothing is ready again.
func (h *Health) Stopping() { h.phase.Store(stopping) }

// Check returns ErrNotReady unless everything that readiness means holds now. It takes at most PingTimeout.
func (h *Health) Check(ctx context.Context) error {
	if h.phase.Load() != started {
		return ErrNotReady
	}
	if err := h.pinger.ask(ctx); err != nil {
		return ErrNotReady
	}
	if h.phase.Load() != started { // shutdown began while the ping was under way
		return ErrNotReady
	}
	return nil
}

// Serve pings when asked, one ping at a time, until ctx ends.
func (h *Health) Serve(ctx context.Context) error { return h.pinger.serve(ctx) }

// Ready is closed at once: a readiness pinger has nothing to wait for.
func (h *Health) Ready() <-chan struct{} { return h.pinger.ready }

// String names the service.
func (h *Health) String() string { return "readiness" }
