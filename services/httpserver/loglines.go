package httpserver

import (
	"time"

	"go.uber.org/zap/zapcore"
)

// line is what is logged of connections, the same for all of its kind. A stranger could otherwise fill a
// disk.
type line struct {
	text  string
	level zapcore.Level
	every time.Duration // there is at most one in this time
}

var (
	timeoutLine = line{"request timed out", zapcore.WarnLevel, time.Second}
	refusedLine = line{"request refused by the transport", zapcore.WarnLevel, time.Second}
	stalledLine = line{"client took nothing of its answer", zapcore.WarnLevel, time.Second}
	roomLine    = line{"idle connection closed to make room", zapcore.WarnLevel, time.Second}
	crowdedLine = line{"connection refused for want of room", zapcore.WarnLevel, time.Second}
	streamsLine = line{"stream refused for want of room", zapcore.WarnLevel, time.Second}
	acceptLine  = line{"connections cannot be accepted", zapcore.ErrorLevel, time.Minute}
)

// note counts one event of a kind.
func (a *connections) note(l line) { a.lines.LogEvery(l.every, l.text, l.level, l.text) }
