package realtime

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/r3labs/sse/v2"
)

// stream is the name of a hub's one stream in its frame writer.
const stream = "s"

// frames lets r3labs/sse write the frame of each event, once for all readers: one server, one stream and one
// subscriber, whose response is kept instead of sent. It sees neither a caller's query, which would pick a
// stream, nor a Last-Event-ID, which it may refuse. Its goroutines begin with the first event. Safe for
// concurrent use.
type frames struct {
	mu      sync.Mutex
	server  *sse.Server // nil: no event yet
	written chan []byte
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the subscriber has left
	closed  bool
}

// encode returns the frame of e, whose data must not be empty: that would end the subscriber. Nil when the
// frames are closed.
func (f *frames) encode(e *sse.Event) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	if f.server == nil {
		f.begin()
	}
	f.server.Publish(stream, e)
	return <-f.written
}

func (f *frames) begin() {
	f.server = sse.New()
	f.server.AutoReplay = false // it keeps every event for ever, and overwrites ids
	f.server.BufferSize = 1
	f.server.CreateStream(stream)
	f.written, f.ended = make(chan []byte, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	request := (&http.Request{URL: &url.URL{RawQuery: "stream=" + stream}}).WithContext(ctx)
	go func() {
		defer close(f.ended)
		f.server.ServeHTTP(&frameWriter{header: make(http.Header), written: f.written}, request)
	}()
	<-f.written // the first Flush: it has subscribed
}

// close waits for the goroutines. The stream is removed last, for before that it would leave one behind.
func (f *frames) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed = true; f.server != nil {
		f.cancel()
		<-f.ended
		f.server.RemoveStream(stream)
	}
}

// frameWriter is the response of the one subscriber: what is written up to a Flush is one frame.
type frameWriter struct {
	header  http.Header
	buffer  []byte
	written chan<- []byte
}

func (w *frameWriter) Header() http.Header { return w.header }
func (w *frameWriter) WriteHeader(int)     {}

func (w *frameWriter) Write(p []byte) (int, error) {
	w.buffer = append(w.buffer, p...)
	return len(p), nil
}

func (w *frameWriter) Flush() {
	w.written <- slices.Clone(w.buffer)
	if w.buffer = w.buffer[:0]; cap(w.buffer) > 2*MaxUpdate { // a snapshot's room is not kept
		w.buffer = nil
	}
}

// idLine is a frame's first line.
func idLine(id uint64) []byte {
	return append(strconv.AppendUint([]byte("id: "), id, 10), '\n')
}

// withoutID is a frame behind its first line.
func withoutID(frame []byte) []byte { return frame[slices.Index(frame, '\n')+1:] }

// withID is the frame with another id.
func withID(frame []byte, id uint64) []byte { return append(idLine(id), withoutID(frame)...) }
