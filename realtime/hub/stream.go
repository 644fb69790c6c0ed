package hub

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Stream serves one reader. It is called after all gates. It returns when it has taken the connection from
// net/http; the stream continues without the handler. An error has a code and means that nothing was written:
// ErrUnavailable, ErrHandlerFailed, ErrOverloaded, or the error of the Snapshot. The request's headers and
// query are ignored. The request's context must have a stream.Connection, and the writer must support Hijack,
// or unwrap to one that does.
func (h *Hub) Stream(w http.ResponseWriter, request *http.Request) error {
	connection := stream.ConnectionOf(request.Context())
	if connection == nil {
		return ErrUnavailable
	}
	if !connection.BeginStream() {
		panic(http.ErrAbortHandler)
	}
	r := &reader{outcome: make(chan error, 1)}
	if !h.inbox.Put(join{r}) {
		return ErrUnavailable
	}
	if err := r.await(request.Context()); err != nil {
		h.inbox.Put(leave{r})
		return err
	}
	if !r.live.Serve(w, connection) {
		return ErrUnavailable
	}
	return nil
}

// reader is a reader that waits for its snapshot. Only the hub uses it, except for outcome, decided, and live
// after the outcome.
type reader struct {
	joined  uint64         // the number of its join
	outcome chan error     // gets one value: nil when the reader is live
	decided atomic.Bool    // the reader is live, or its client has disconnected
	live    *stream.Reader // set before the outcome nil
}

// refuse ends the wait of a reader that is not live.
func (r *reader) refuse(err error) { r.outcome <- err }

// await waits until the reader is live, or returns why it will not be.
func (r *reader) await(ctx context.Context) error {
	timeout := time.NewTimer(deadlines.Snapshot)
	defer timeout.Stop()
	err := ErrHandlerFailed
	select {
	case err := <-r.outcome:
		return err
	case <-timeout.C:
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
