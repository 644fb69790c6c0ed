package stream

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/r3labs/sse/v2"

	"github.com/narthex-platform/narthex/realtime/update"
)

// stream is the name of the only stream in a hub's frame writer.
const stream = "s"

// frames uses r3labs/sse to make the frame of each event once for all readers. There is one server with one
// stream and one subscriber, whose response is kept instead of being sent. The server gets neither the query
// of a request, which would select a stream, nor a Last-Event-ID, which it may refuse. Its goroutines start
// with the first event. Safe for concurrent use.
type frames struct {
	mu      sync.Mutex
	server  *sse.Server // nil before the first event
	written chan []byte
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the subscriber has ended
	closed  bool
}

// encode returns the frame of e. The data of e must not be empty, because that would end the subscriber. It
// returns nil after close.
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
	f.server.AutoReplay = false // AutoReplay keeps every event for ever and replaces ids
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
	<-f.written // the first Flush means that it has subscribed
}

// close waits for the goroutines. It removes the stream last, because removing it earlier would leave a
// goroutine behind.
func (f *frames) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed = true; f.server != nil {
		f.cancel()
		<-f.ended
		f.server.RemoveStream(stream)
	}
}

// frameWriter is the response for the subscriber. Everything that is written before a Flush is one frame.
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
	if w.buffer = w.buffer[:0]; cap(w.buffer) > 2*update.MaxData { // does not keep the memory of a snapshot
		w.buffer = nil
	}
}

// idLine returns the first line of a frame.
func idLine(id uint64) []byte {
	return append(strconv.AppendUint([]byte("id: "), id, 10), '\n')
}

// withoutID returns the frame after its first line.
func withoutID(frame []byte) []byte { return frame[slices.Index(frame, '\n')+1:] }

// withID returns the frame with another id.
func withID(frame []byte, id uint64) []byte { return append(idLine(id), withoutID(frame)...) }
