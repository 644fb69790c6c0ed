// Package loglimit limits each kind of log line to one per second or per longer interval. The line contains
// the number of events. So the log stays readable when a thousand requests per second fail.
package loglimit

import (
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

const interval = time.Second

// Limiter counts events by kind. The first event of a kind is logged at once. Further events within the
// interval are logged at its end, as one line with the fields of the latest event and their number as
// "count". It is safe for concurrent use.
type Limiter struct {
	log *zap.Logger

	mu     sync.Mutex
	kinds  map[string]*kind
	closed bool
}

// kind is one kind of line during its interval. A kind without events for an interval is removed.
type kind struct {
	every   time.Duration
	timer   *time.Timer
	level   zapcore.Level
	message string
	fields  []zap.Field
	count   int
}

// New makes a limiter that writes to log.
func New(log *zap.Logger) *Limiter {
	return &Limiter{log: log, kinds: make(map[string]*kind)}
}

// Log counts one event of a kind that is logged at most once a second. name must be a constant of the
// program, never text of a caller, because every name occupies memory during its interval.
func (l *Limiter) Log(name string, level zapcore.Level, message string, fields ...zap.Field) {
	l.LogEvery(interval, name, level, message, fields...)
}

// LogEvery is Log for a kind with an interval of its own, which must be the same at each call.
func (l *Limiter) LogEvery(
	every time.Duration, name string, level zapcore.Level, message string, fields ...zap.Field,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, waiting := l.kinds[name]
	if !waiting {
		k = &kind{every: every}
	}
	k.level, k.message, k.fields, k.count = level, message, fields, k.count+1
	if waiting {
		return
	}
	l.write(k)
	if !l.closed {
		l.kinds[name] = k
		k.timer = time.AfterFunc(every, func() { l.passed(name, k) })
	}
}

// passed runs at the end of a kind's interval.
func (l *Limiter) passed(name string, k *kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.count == 0 { // also after Close, which has logged the counted events
		delete(l.kinds, name)
		return
	}
	l.write(k)
	k.timer.Reset(k.every)
}

func (l *Limiter) write(k *kind) {
	if entry := l.log.Check(k.level, k.message); entry != nil {
		entry.Write(append(k.fields[:len(k.fields):len(k.fields)], zap.Int("count", k.count))...)
	}
	k.count = 0
}

// Close logs the events that were counted and not yet logged. Later events are logged one by one, at once.
func (l *Limiter) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for name, k := range l.kinds {
		k.timer.Stop()
		if k.count > 0 {
			l.write(k)
		}
		delete(l.kinds, name)
	}
}
