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
	// writable is how long a socket may take nothing.
	writable = 30 * time.Second
	// kernel is how many bytes the kernel keeps for a reader that does not read; it doubles them for its own bookkeeping.
	kernel = 64 << 10
)

// Socket is a connection's, as far as a stream wants it.
type Socket interface{ SetWriteBuffer(bytes int) error }

type socketKey struct{}

// WithSocket is for http.Server.ConnContext: it lets a stream bound what the kernel keeps for it. Without it the kernel's own limit
// holds, which is some MiB.
func WithSocket(ctx context.Context, socket Socket) context.Context {
	return context.WithValue(ctx, socketKey{}, socket)
}

// Stream serves one reader until the stream ends, and is called behind every gate. An error has a code and says that nothing was
// written: ErrUnavailable, ErrHandlerFailed, ErrOverloaded, or what the Snapshot failed with. The request's own headers and query
// mean nothing to it. The writer must know Flush and SetWriteDeadline, or unwrap to one that does.
func (h *Hub) Stream(w http.ResponseWriter, request *http.Request) error {
	r := newReader()
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
	defer context.AfterFunc(request.Context(), r.hangUp)()
	if socket, ok := ctx.Value(socketKey{}).(Socket); ok {
		_ = socket.SetWriteBuffer(kernel) // a bound less; the write deadline stays
	}
	r.write(ctx, w)
	return nil
}

// await returns when the reader is live, or why it will not be.
func (r *reader) await(ctx context.Context) error {
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case err := <-r.outcome:
		return err
	case <-patience.C:
		return ErrHandlerFailed
	case <-ctx.Done():
		return errors.Join(ErrHandlerFailed, ctx.Err()) // nobody is there to read it
	}
}

// write lets r3labs/sse frame what is in the mailbox until ctx ends. Each connection has a server and a stream of its own, for one
// stalled reader of a shared stream stalls all; without AutoReplay, which keeps every event for ever. It sees neither the caller's
// query, which would pick a stream, nor a Last-Event-ID, which it may refuse.
func (r *reader) write(ctx context.Context, w http.ResponseWriter) {
	frames := sse.New()
	frames.AutoReplay = false
	frames.BufferSize = ahead
	frames.CreateStream(stream)
	header := w.Header()
	header.Set("X-Accel-Buffering", "no")
	request := (&http.Request{URL: &url.URL{RawQuery: "stream=" + stream}}).WithContext(ctx)
	frames.ServeHTTP(&writer{ResponseWriter: w, reader: r, frames: frames, connection: header["Connection"]}, request)
	frames.RemoveStream(stream) // only now: before, it would leave a goroutine
}

// writer is what the frame writer writes to. Its first Flush tells that the frame writer has subscribed, every other one that an
// event is written; only one that leaves nothing to write reaches the socket.
type writer struct {
	http.ResponseWriter
	reader     *reader
	frames     *sse.Server
	connection []string // the caller's header
	begun      bool
	failed     bool
	inside     bool      // an event
	writable   time.Time // the deadline
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
	if !w.inside {
		w.inside = true
		w.extend()
	}
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
	w.inside = false
	drained, last := w.reader.wrote()
	if drained && !w.failed {
		w.check(w.reader.control.Flush())
	}
	if last {
		w.reader.cancel()
	}
}

// extend gives the socket its time, in steps of a second: setting a deadline costs about as much as framing an event.
func (w *writer) extend() {
	now := time.Now()
	if w.writable.Sub(now) > writable-time.Second {
		return
	}
	w.writable = now.Add(writable)
	w.reader.mu.Lock()
	defer w.reader.mu.Unlock()
	if !w.reader.gone { // a cut one's deadline is over
		_ = w.reader.control.SetWriteDeadline(w.writable)
	}
}

func (w *writer) check(err error) {
	if err != nil {
		w.failed = true
		w.reader.hangUp()
	}
}
