// Package loglimit owns how often one kind of line may be logged: once a second, with the number of events that it stands for. Whoever is
// asked or attacked a thousand times a second then still has a log that can be read.
package loglimit

import (
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

const interval = time.Second

// Limiter counts events by kind. The first of a kind is logged at once. Those that follow within a second are logged when it is over, as
// one line with the fields of the latest and their number as "count". Safe for concurrent use.
type Limiter struct {
	log *zap.Logger

	mu     sync.Mutex
	kinds  map[string]*kind
	closed bool
}

// kind is one sort of line within its second. A kind without events for a second is forgotten.
type kind struct {
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

// Log counts one event. The kind comes from the program, never from a caller: one of each is kept for a second.
func (l *Limiter) Log(name string, level zapcore.Level, message string, fields ...zap.Field) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, waiting := l.kinds[name]
	if !waiting {
		k = &kind{}
	}
	k.level, k.message, k.fields, k.count = level, message, fields, k.count+1
	if waiting {
		return
	}
	l.write(k)
	if !l.closed {
		l.kinds[name] = k
		k.timer = time.AfterFunc(interval, func() { l.passed(name, k) })
	}
}

// passed is the end of a kind's second.
func (l *Limiter) passed(name string, k *kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
	case k.count == 0:
		delete(l.kinds, name)
	default:
		l.write(k)
		k.timer.Reset(interval)
	}
}

func (l *Limiter) write(k *kind) {
	if entry := l.log.Check(k.level, k.message); entry != nil {
		entry.Write(append(k.fields[:len(k.fields):len(k.fields)], zap.Int("count", k.count))...)
	}
	k.count = 0
}

// Close writes what has been counted and not yet logged. What comes later is logged event by event, at once.
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
