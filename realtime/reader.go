package realtime

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/r3labs/sse/v2"
)

// heartbeats come every 15 s.
const heartbeats = 15 * time.Second

// reader is one stream: a mailbox that the hub fills and the stream's goroutine empties. The hub never
// waits for it.
type reader struct {
	// The hub's own.
	set    *readerSet
	place  int
	joined uint64 // it was the n-th to join
	from   uint64 // publishes up to this number are in its snapshot

	outcome chan error // one value: nil when it is live
	cuts    *atomic.Int64

	mu      sync.Mutex
	mailbox []queuedEvent // the first handed of them are on their way through the frame writer
	handed  int
	bytes   int
	moved   time.Time // when the mailbox's first event came to be the first
	id      uint64
	stops   time.Time
	timer   *time.Timer // the next heartbeat, or the end
	ending  bool        // the last event is in the mailbox
	gone    bool        // nothing is written any more

	frames  *sse.Server // nil: not written yet
	control *http.ResponseController
	cancel  context.CancelFunc
}

// queuedEvent is an event in a mailbox.
type queuedEvent struct {
	*sse.Event
	key    string  // of a channel of newest values
	charge *charge // of the event's data; nil: the event's alone
	cost   int     // of the event
}

func newReader(cuts *atomic.Int64) *reader { return &reader{outcome: make(chan error, 1), cuts: cuts} }

// refuse ends the wait of a reader that is not live.
func (r *reader) refuse(err error) { r.outcome <- err }

// start makes the reader live: its snapshot, a heartbeat, and what was released since. False when its
// client has left.
func (r *reader) start(first queuedEvent, position uint64, missing []*update) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return false
	}
	now := time.Now()
	r.id, r.moved = position, now
	r.mailbox = make([]queuedEvent, 0, 2+len(missing))
	r.put(first)
	r.put(queuedEvent{Event: heartbeat(position, now)})
	r.bytes = 0 // the mailbox's bound is for updates
	for _, u := range missing {
		r.id++
		if u.event == nil {
			u.event = newEvent(u.id, updateEvent, u.data)
		}
		r.put(u.queuedEvent(r.id))
	}
	r.stops = now.Add(lifetime())
	r.timer = time.AfterFunc(heartbeats, r.beat)
	r.outcome <- nil
	return true
}

// offer puts an update into the mailbox. A full one ends this reader, and taken is false; it is false too
// when the reader takes no more. filling tells that the mailbox is half full.
func (r *reader) offer(u *update) (taken, filling bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || r.ending {
		return false, false
	}
	if u.key != "" {
		r.supersede(u.key)
	} else if len(r.mailbox) >= mailboxEvents || r.bytes+len(u.data) > mailboxBytes {
		r.cuts.Add(1)
		r.cut()
		return false, false
	}
	r.id++
	r.put(u.queuedEvent(r.id))
	r.pump()
	return true, r.halfFull()
}

// supersede takes the value out of the mailbox that a newer one of its key follows. What the frame writer
// has, it keeps.
func (r *reader) supersede(key string) {
	for i := len(r.mailbox) - 1; i >= r.handed; i-- {
		if r.mailbox[i].key == key {
			r.bytes -= weight(r.mailbox[i].Event)
			r.mailbox[i].drop()
			r.mailbox = slices.Delete(r.mailbox, i, i+1)
			return
		}
	}
}

// filling tells whether the mailbox is half full although the reader keeps writing.
func (r *reader) filling(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.gone && !r.ending && r.halfFull() && now.Sub(r.moved) < slowReaderWait
}

func (r *reader) halfFull() bool {
	return len(r.mailbox) >= mailboxEvents/2 || r.bytes >= mailboxBytes/2
}

// beat is the timer's call: a heartbeat, the end of the stream's time, or the end of its grace.
func (r *reader) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	switch {
	case r.gone:
	case r.ending:
		r.cuts.Add(1)
		r.cut()
	case !now.Before(r.stops):
		r.finish()
	default:
		r.put(queuedEvent{Event: heartbeat(r.id, now)})
		r.pump()
		r.timer.Reset(min(heartbeats, r.stops.Sub(now)))
	}
}

// end tells the reader to reconnect and ends its stream.
func (r *reader) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone && !r.ending {
		r.finish()
	}
}

func (r *reader) finish() {
	r.ending = true
	r.put(queuedEvent{Event: newEvent(r.id, reconnectEvent, nothing)})
	r.pump()
	r.timer.Reset(grace)
}

func (r *reader) put(l queuedEvent) {
	if len(r.mailbox) == 0 {
		r.moved = time.Now()
	}
	l.charge.keep(l.cost)
	r.mailbox = append(r.mailbox, l)
	r.bytes += weight(l.Event)
}

// weight is what an event takes of a mailbox: its snapshot, which alone has a Retry, takes nothing.
func weight(e *sse.Event) int {
	if e.Retry != nil {
		return 0
	}
	return len(e.Data)
}

// pump hands on what the frame writer takes.
func (r *reader) pump() {
	for r.frames != nil && r.handed < len(r.mailbox) && r.frames.TryPublish(stream, r.mailbox[r.handed].Event) {
		r.handed++
	}
}

// began: the frame writer is ready.
func (r *reader) began(frames *sse.Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frames = frames
	r.pump()
}

// wrote: the frame writer has written the mailbox's first event. drained when none is left.
func (r *reader) wrote() (drained, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= weight(r.mailbox[0].Event)
	r.mailbox[0].drop()
	r.mailbox[0] = queuedEvent{}
	r.mailbox = r.mailbox[1:]
	r.handed--
	r.pump()
	if drained = len(r.mailbox) == 0; drained {
		r.mailbox = nil // an idle reader keeps nothing
	} else {
		r.moved = time.Now()
	}
	return drained, drained && r.ending
}

// cut ends the reader at once, and a write to it that is in progress.
func (r *reader) cut() {
	r.gone = true
	if r.control != nil {
		_ = r.control.SetWriteDeadline(time.Unix(1, 0))
	}
	r.cancel()
}

// hangUp is cut for a client that has left.
func (r *reader) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone {
		r.cut()
	}
}

// leave is the last call, by the stream's goroutine: the connection is no longer the reader's.
func (r *reader) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone, r.control = true, nil
	r.cancel()
	for _, l := range r.mailbox {
		l.drop()
	}
	r.mailbox = nil
	if r.timer != nil {
		r.timer.Stop()
	}
}
