package httpserver

import (
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// line is what is logged of connections, the same for all of its kind.
type line struct {
	text  string
	level zapcore.Level
	every time.Duration // there is at most one in this time
}

var (
	timeoutLine = line{"request timed out", zap.WarnLevel, time.Second}
	refusedLine = line{"request refused by the transport", zap.WarnLevel, time.Second}
	stalledLine = line{"client took nothing of its answer", zap.WarnLevel, time.Second}
	roomLine    = line{"idle connection closed to make room", zap.WarnLevel, time.Second}
	crowdedLine = line{"connection refused for want of room", zap.WarnLevel, time.Second}
	streamsLine = line{"stream refused for want of room", zap.WarnLevel, time.Second}
	acceptLine  = line{"connections cannot be accepted", zap.ErrorLevel, time.Minute}
)

// noise logs what happens to connections: each line at most once in its time, with how often it happened
// since the last one. A stranger can otherwise fill a disk.
type noise struct {
	log *zap.Logger

	mu    sync.Mutex
	ended bool
	kinds map[line]*heard
}

// heard is one line's state. The first one goes out at once, what follows within the line's time when that
// is over.
type heard struct {
	count int
	timer *time.Timer // nil: the last one is long ago
}

func newNoise(log *zap.Logger) *noise { return &noise{log: log, kinds: make(map[line]*heard)} }

func (n *noise) note(l line) {
	n.mu.Lock()
	defer n.mu.Unlock()
	kind, known := n.kinds[l]
	if !known {
		kind = &heard{}
		n.kinds[l] = kind
	}
	kind.count++
	if kind.timer == nil || n.ended {
		n.tell(l, kind)
	}
}

// tell logs and waits for more.
func (n *noise) tell(l line, kind *heard) {
	n.log.Log(l.level, l.text, zap.Int("count", kind.count))
	kind.count = 0
	if !n.ended {
		kind.timer = time.AfterFunc(l.every, func() { n.rest(l) })
	}
}

// rest is the timer's call.
func (n *noise) rest(l line) {
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := n.kinds[l]
	if kind.timer = nil; kind.count > 0 && !n.ended {
		n.tell(l, kind)
	}
}

// end logs what is left.
func (n *noise) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	for l, kind := range n.kinds {
		if kind.timer != nil {
			kind.timer.Stop()
		}
		if kind.count > 0 {
			n.tell(l, kind)
		}
	}
}
