package platform

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// NewLog writes every entry as a JSON line, without sampling, stacks or callers. close writes what is still
// queued.
func NewLog(w io.Writer) (log *zap.Logger, close func()) {
	encoding := zap.NewProductionEncoderConfig()
	encoding.TimeKey = "time"
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	lines := newLineWriter(w)
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(encoding), lines, zapcore.InfoLevel)), lines.close
}

const (
	queuedLines = 4096            // if the reader is further behind, lines are dropped and counted
	lastLines   = 2 * time.Second // how long a reader that does not read may delay the end of the process
)

// lineWriter decouples the platform from the reader of its log: a reader that blocks or exits does not stop
// the platform.
type lineWriter struct {
	queue   chan []byte
	dropped atomic.Int64
	ended   chan struct{}
}

func newLineWriter(w io.Writer) *lineWriter {
	l := &lineWriter{queue: make(chan []byte, queuedLines), ended: make(chan struct{})}
	go l.writeTo(w)
	return l
}

// Write queues a copy of one line. It never blocks and never fails.
func (l *lineWriter) Write(line []byte) (int, error) {
	select {
	case l.queue <- bytes.Clone(line):
	default:
		l.dropped.Add(1)
	}
	return len(line), nil
}

// Sync is part of zap's interface. It does nothing, because close waits for the queue.
func (l *lineWriter) Sync() error { return nil }

func (l *lineWriter) writeTo(w io.Writer) {
	defer close(l.ended)
	for line := range l.queue {
		_, _ = w.Write(line) // there is no other place to report a failure
		if dropped := l.dropped.Swap(0); dropped > 0 {
			fmt.Fprintf(w, `{"level":"warn","time":%q,"msg":"log lines dropped","lines":%d}`+"\n",
				time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), dropped)
		}
	}
}

// close must be called once, after the last Write.
func (l *lineWriter) close() {
	close(l.queue)
	select {
	case <-l.ended:
	case <-time.After(lastLines):
	}
}
