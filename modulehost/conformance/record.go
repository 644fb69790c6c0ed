package conformance

import (
	"slices"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// record keeps the host's log lines about the module's processes: fixed words and numbers, nothing that the
// module sent. Safe for concurrent use.
type record struct {
	mu    sync.Mutex
	lines []line
}

type line struct {
	message string
	fields  map[string]any
}

func (r *record) logger() *zap.Logger { return zap.New(recordCore{to: r}) }

// of returns the lines with this message.
func (r *record) of(message string) (found []line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		if l.message == message {
			found = append(found, l)
		}
	}
	return found
}

// recordCore lets zap write to a record.
type recordCore struct {
	to   *record
	with []zapcore.Field
}

func (recordCore) Enabled(zapcore.Level) bool { return true }

func (c recordCore) With(fields []zapcore.Field) zapcore.Core {
	return recordCore{c.to, slices.Concat(c.with, fields)}
}

func (c recordCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return checked.AddCore(e, c)
}

func (c recordCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	encoder := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(c.with, fields) {
		f.AddTo(encoder)
	}
	c.to.mu.Lock()
	defer c.to.mu.Unlock()
	c.to.lines = append(c.to.lines, line{e.Message, encoder.Fields})
	return nil
}

func (recordCore) Sync() error { return nil }
