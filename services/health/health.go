// Package health serves the two health checks. Live is true while the process serves. Ready is true only when
// modules have started, shutdown has not begun and the database responds. A response never contains the
// reason; it is logged.
package health

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/loglimit"
)

// ErrNotReady is the one code for all reasons of not being ready, so that a caller cannot tell them apart.
const ErrNotReady = httpapi.Error("NOT_READY")

// Health has the readiness state and shares one ping among all checks. It is safe for concurrent use.
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

// New makes a Health that is not ready. ping sends one ping to the database and returns when its context
// ends; Health makes one call at a time.
func New(ping func(context.Context) error, log *zap.Logger) *Health {
	return &Health{pinger: newPinger(ping), lines: loglimit.New(log)}
}

// Started records that module startup has completed. It has no effect after Stopping.
func (h *Health) Started() { h.phase.CompareAndSwap(starting, started) }

// Stopping records that shutdown has begun. After it, the process is never ready.
func (h *Health) Stopping() { h.phase.Store(stopping) }

// Check returns ErrNotReady unless the process is ready. It takes at most deadlines.Probe, and returns at
// once while a ping that is older than that has not ended.
func (h *Health) Check(ctx context.Context) error {
	if err := h.inPhase(); err != nil {
		return err
	}
	if err := h.pinger.ask(ctx); err != nil {
		return err
	}
	return h.inPhase() // shutdown may have begun during the ping
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

// notReady is ErrNotReady with details that only the log may contain.
type notReady struct {
	reason string        // a fixed word
	why    string        // a fixed word for why the database cannot be used; "": unknown
	age    time.Duration // of the ping that has not ended; 0: none
}

func (*notReady) Error() string { return ErrNotReady.Error() }
func (*notReady) Unwrap() error { return ErrNotReady }

// report logs why a check failed: at most one line a second for each reason.
func (h *Health) report(err error) {
	refused, ok := errors.AsType[*notReady](err)
	if !ok {
		return // the caller has disconnected
	}
	fields := []zap.Field{zap.String("code", ErrNotReady.Code()), zap.String("reason", refused.reason)}
	if refused.why != "" {
		fields = append(fields, zap.String("why", refused.why))
	}
	if refused.age > 0 {
		fields = append(fields, zap.Duration("age", refused.age.Round(time.Millisecond)))
	}
	level := zap.ErrorLevel
	if h.phase.Load() != started { // expected at a start and a stop
		level = zap.InfoLevel
	}
	h.lines.Log(refused.reason, level, "not ready", fields...)
}

// Serve runs the pings that Check asks for, one at a time, until ctx ends.
func (h *Health) Serve(ctx context.Context) error {
	defer h.lines.Close()
	return h.pinger.serve(ctx)
}

// Ready is closed from the start.
func (h *Health) Ready() <-chan struct{} { return h.pinger.ready }

// String names the service.
func (h *Health) String() string { return "readiness" }
