// Package health owns the two answers to "are you there": live while the process serves, ready only when modules have started,
// shutdown has not begun and the database answers. Callers learn no reason; the log does.
package health

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/loglimit"
)

const (
	// PingTimeout is how long a probe waits for a database ping.
	PingTimeout = 2 * time.Second
	// SettleTimeout is how long a ping may take before it is given up, long after nobody waits for it: a server that hangs is asked by
	// one ping, not by one more every two seconds.
	SettleTimeout = 30 * time.Second
)

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
	lines  *loglimit.Limiter
}

const (
	starting int32 = iota
	started
	stopping
)

// New makes a Health that is not ready. ping asks the database once, one call at a time, and returns when its context ends.
func New(ping func(context.Context) error, log *zap.Logger) *Health {
	return &Health{pinger: newPinger(ping), lines: loglimit.New(log)}
}

// Started tells that module startup has completed. After Stopping it changes nothing.
func (h *Health) Started() { h.phase.CompareAndSwap(starting, started) }

// Stopping tells that shutdown has begun: from now on nothing is ready again.
func (h *Health) Stopping() { h.phase.Store(stopping) }

// Check returns ErrNotReady unless everything that readiness means holds now. It takes at most PingTimeout, and no time while a ping that
// others have waited for is still unsettled.
func (h *Health) Check(ctx context.Context) error {
	if err := h.inPhase(); err != nil {
		return err
	}
	if err := h.pinger.ask(ctx); err != nil {
		return err
	}
	return h.inPhase() // shutdown may have begun while the ping was under way
}

func (h *Health) inPhase() error {
	switch h.phase.Load() {
	case starting:
		return &notReady{reason: "starting"}
	case stopping:
		return &notReady{reason: "stopping"}
	}
	return nil
}

// notReady is ErrNotReady with what only the log may know.
type notReady struct {
	reason string        // a fixed word
	why    string        // a fixed word for why the database cannot be used; "": not known
	age    time.Duration // of the ping that has not settled; 0: none
}

func (*notReady) Error() string { return ErrNotReady.Error() }
func (*notReady) Unwrap() error { return ErrNotReady }

// report logs why a probe was refused: at most one line a second for each reason.
func (h *Health) report(err error) {
	refused, ok := errors.AsType[*notReady](err)
	if !ok {
		return // its caller has left
	}
	fields := []zap.Field{zap.String("code", ErrNotReady.Code()), zap.String("reason", refused.reason)}
	if refused.why != "" {
		fields = append(fields, zap.String("why", refused.why))
	}
	if refused.age > 0 {
		fields = append(fields, zap.Duration("age", refused.age.Round(time.Millisecond)))
	}
	level := zap.ErrorLevel
	if h.phase.Load() != started { // as it should be
		level = zap.InfoLevel
	}
	h.lines.Log(refused.reason, level, "not ready", fields...)
}

// Serve pings when asked, one ping at a time, until ctx ends.
func (h *Health) Serve(ctx context.Context) error {
	defer h.lines.Close()
	return h.pinger.serve(ctx)
}

// Ready is closed at once: a readiness pinger has nothing to wait for.
func (h *Health) Ready() <-chan struct{} { return h.pinger.ready }

// String names the service.
func (h *Health) String() string { return "readiness" }
