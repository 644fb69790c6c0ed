package realtime

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/r3labs/sse/v2"
)

const (
	// stream is the name of every connection's one stream in its own frame writer.
	stream = "s"
	// ahead is how many events the frame writer may take before it has written them.
	ahead = 16
)

// Connection is what a stream asks of the connection that carries it.
type Connection interface {
	// BeginStream is called before anything is written, and says that an end of input ends the request's
	// context from now on. False: there is no room for the stream, and the connection ends without a byte.
	BeginStream() bool
}

type connectionKey struct{}

// WithConnection is for http.Server.ConnContext. Without it nothing is asked.
func WithConnection(ctx context.Context, connection Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// ConnectionOf is what WithConnection put there; nil without it.
func ConnectionOf(ctx context.Context) Connection {
	connection, _ := ctx.Value(connectionKey{}).(Connection)
	return connection
}

// Stream serves one reader until the stream ends, and is called behind every gate. An error has a code and
// says that nothing was written: ErrUnavailable, ErrHandlerFailed, ErrOverloaded, or what the Snapshot
// failed with. The request's own headers and query mean nothing to it. The writer must know Flush and
// SetWriteDeadline, or unwrap to one that does.
func (h *Hub) Stream(w http.ResponseWriter, request *http.Request) error {
	if connection := ConnectionOf(request.Context()); connection != nil && !connection.BeginStream() {
		panic(http.ErrAbortHandler)
	}
	r := newReader(&h.counts.cut)
	ctx, cancel := context.WithCancel(request.Context())
	r.cancel = cancel
	r.control = http.NewResponseController(w)
	defer r.leave()
	if !h.inbox.put(join{r}) {
		return ErrUnavailable
	}
	defer h.inbox.put(leave{r})
	if err := r.await(ctx); err != nil {
		return err
	}
	h.counts.readers.Add(1)
	defer h.counts.readers.Add(-1)
	defer context.AfterFunc(request.Context(), r.hangUp)()
	r.write(ctx, w)
	return nil
}

// await returns when the reader is live, or why it will not be.
func (r *reader) await(ctx context.Context) error {
	patience := time.NewTimer(snapshotTimeout)
	defer patience.Stop()
	select {
	case err := <-r.outcome:
		return err
	case <-patience.C:
		return ErrHandlerFailed
	case <-ctx.Done():
		return errors.Join(ErrHandlerFailed, ctx.Err()) // the client has disconnected
	}
}

// write lets r3labs/sse frame what is in the mailbox until ctx ends. Each connection has a server and a
// stream of its own, for one stalled reader of a shared stream stalls all; without AutoReplay, which keeps
// every event for ever. It sees neither the caller's query, which would pick a stream, nor a Last-Event-ID,
// which it may refuse.
func (r *reader) write(ctx context.Context, w http.ResponseWriter) {
	frames := sse.New()
	frames.AutoReplay = false
	frames.BufferSize = ahead
	frames.CreateStream(stream)
	header := w.Header()
	header.Set("X-Accel-Buffering", "no")
	request := (&http.Request{URL: &url.URL{RawQuery: "stream=" + stream}}).WithContext(ctx)
	frames.ServeHTTP(&writer{ResponseWriter: w, reader: r, frames: frames, connection: header["Connection"]},
		request)
	frames.RemoveStream(stream) // only now: before, it would leave a goroutine
}

// writer is what the frame writer writes to. Its first Flush tells that the frame writer has subscribed,
// every other one that an event is written; only one that leaves nothing to write reaches the socket.
type writer struct {
	http.ResponseWriter
	reader     *reader
	frames     *sse.Server
	connection []string // the caller's header
	begun      bool
	failed     bool
}

// WriteHeader puts right what the frame writer sets.
func (w *writer) WriteHeader(status int) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if header["Connection"] = w.connection; w.connection == nil {
		delete(header, "Connection")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write never tells of an error, which the frame writer would ignore: the stream's context tells.
func (w *writer) Write(p []byte) (int, error) {
	if !w.failed {
		_, err := w.ResponseWriter.Write(p)
		w.check(err)
	}
	return len(p), nil
}

// Flush is called by the frame writer after each event.
func (w *writer) Flush() {
	if !w.begun {
		w.begun = true
		w.reader.began(w.frames)
		return
	}
	drained, last := w.reader.wrote()
	if drained && !w.failed {
		w.check(w.reader.control.Flush())
	}
	if last {
		w.reader.cancel()
	}
}

func (w *writer) check(err error) {
	if err != nil {
		w.failed = true
		w.reader.hangUp()
	}
}
