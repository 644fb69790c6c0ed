package realtime

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Stream serves one reader. It is called after all gates. It returns when the stream has ended, or when it
// has taken the connection from net/http (http.Hijacker), if that has a socket; then the stream continues
// without the handler. An error has a code and means that nothing was written: ErrUnavailable,
// ErrHandlerFailed, ErrOverloaded, or the error of the Snapshot. The request's headers and query are ignored.
// The writer must support Flush and SetWriteDeadline, or unwrap to one that does.
func (h *Hub) Stream(w http.ResponseWriter, request *http.Request) error {
	connection := ConnectionOf(request.Context())
	if connection != nil && !connection.BeginStream() {
		panic(http.ErrAbortHandler)
	}
	r := newReader()
	r.socket = connection != nil && connection.Socket() != nil
	if !h.inbox.put(join{r}) {
		return ErrUnavailable
	}
	if err := r.await(request.Context()); err != nil {
		h.inbox.put(leave{r})
		return err
	}
	h.counts.readers.Add(1)
	if r.shard != nil && r.handOver(w, connection) {
		return nil
	}
	defer h.counts.readers.Add(-1)
	r.respond(w, request)
	return nil
}

func newReader() *reader { return &reader{outcome: make(chan error, 1)} }

// refuse ends the wait of a reader that is not live.
func (r *reader) refuse(err error) { r.outcome <- err }

// await waits until the reader is live, or returns why it will not be.
func (r *reader) await(ctx context.Context) error {
	patience := time.NewTimer(snapshotTimeout)
	defer patience.Stop()
	err := ErrHandlerFailed
	select {
	case err := <-r.outcome:
		return err
	case <-patience.C:
		if !r.decided.Swap(true) {
			return err
		}
	case <-ctx.Done():
		if !r.decided.Swap(true) {
			return errors.Join(err, ctx.Err()) // the client has disconnected
		}
	}
	return <-r.outcome
}
