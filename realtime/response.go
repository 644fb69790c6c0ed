package realtime

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// response is a stream that its own goroutine writes, for a connection that cannot be taken from net/http:
// where there is no socket, or no epoll.
type response struct {
	reader *reader
	limit  *time.Timer // the end of the end's grace
	at     position
	taken  []entry // what is being written
	ended  bool

	mu      sync.Mutex
	control *http.ResponseController // nil: the stream has ended
	cancel  context.CancelFunc
}

// respond writes the stream until it ends, or its client has left.
func (r *reader) respond(w http.ResponseWriter, request *http.Request) {
	ctx, cancel := context.WithCancel(request.Context())
	p := &response{reader: r, cancel: cancel, at: position{next: unnumbered},
		control: http.NewResponseController(w)}
	defer p.leave()
	if !p.begin() {
		return
	}
	defer context.AfterFunc(request.Context(), p.hangUp)()
	streamHeader(w.Header())
	w.WriteHeader(http.StatusOK)
	for _, piece := range r.prelude.pieces(nil) {
		if !p.write(w, piece) {
			return
		}
	}
	p.opened()
	for !p.ended && p.take(ctx, w) {
		for i := range p.taken {
			if frame := p.taken[i].spelled(r.from); frame != nil && !p.write(w, frame) {
				return
			}
			p.at, p.ended = p.taken[i].position(), p.taken[i].last
		}
	}
	p.flush()
}

// streamHeader is what every stream's response says.
func streamHeader(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
}

// begin lets the log cut the reader from now on; false when it has done so already.
func (p *response) begin() bool {
	r := p.reader
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	end := r.stops.Add(grace)
	if r.joinedEnd != r.log.ends.count {
		end = r.log.ends.at.Add(grace)
	}
	p.limit = time.AfterFunc(time.Until(end), p.tooLate)
	r.response = p
	return !r.cut
}

// opened: the stream's beginning is written.
func (p *response) opened() {
	r := p.reader
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.opening, r.moved = 0, time.Now()
	r.release()
}

// take returns when there is something to write. False: the stream has ended.
func (p *response) take(ctx context.Context, w http.ResponseWriter) bool {
	flushed := false
	for ctx.Err() == nil {
		changed := p.next(flushed)
		switch {
		case len(p.taken) > 0:
			return true
		case !flushed:
			if flushed = p.flush(); !flushed {
				return false
			}
		case !p.wait(ctx, w, changed):
			return false
		}
	}
	return false
}

// next drops what was written and takes what is there. changed is closed when there is more.
func (p *response) next(wait bool) (changed <-chan struct{}) {
	r, l := p.reader, p.reader.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(p.taken); n > 0 {
		r.next = p.taken[n-1].place + 1
		p.drop()
	}
	p.taken = l.group(r.next, p.taken)
	r.moved = time.Now()
	if len(p.taken) > 0 {
		r.idle = false
		return nil
	}
	p.taken = nil // an idle reader keeps nothing
	if r.idle = wait; wait && l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// busy says that the reader is about to write: the hub waits for one that is idle, and this one may block.
func (p *response) busy() {
	p.reader.log.mu.Lock()
	defer p.reader.log.mu.Unlock()
	p.reader.idle, p.reader.moved = false, time.Now()
}

func (p *response) drop() {
	for i := range p.taken {
		p.taken[i].charge.drop(0)
	}
	clear(p.taken)
	p.taken = p.taken[:0]
}

// wait also tells the time, and ends a stream that has lasted long enough.
func (p *response) wait(ctx context.Context, w http.ResponseWriter, changed <-chan struct{}) bool {
	r := p.reader
	due := r.beats
	if r.stops.Before(due) {
		due = r.stops
	}
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-changed:
		return true
	case now := <-timer.C:
		p.busy()
		if !now.Before(r.stops) {
			p.write(w, r.log.frames.encode(reconnect(p.at.of(r))))
			return false
		}
		r.beats = now.Add(heartbeats)
		return p.write(w, r.log.frames.encode(heartbeat(p.at.of(r), now))) && p.flush()
	}
}

func (p *response) write(w http.ResponseWriter, b []byte) bool {
	_, err := w.Write(b)
	if err != nil {
		p.hangUp()
	}
	return err == nil
}

func (p *response) flush() bool {
	err := p.control.Flush()
	if err != nil {
		p.hangUp()
	}
	return err == nil
}

// cut ends the stream of a reader that is too slow at once, and a write to it that is in progress.
func (p *response) cut() {
	p.reader.log.counts.cut.Add(1)
	p.hangUp()
}

// tooLate is the timer's call.
func (p *response) tooLate() {
	p.mu.Lock()
	over := p.control == nil
	p.mu.Unlock()
	if !over {
		p.cut()
	}
}

// hangUp is cut for a client that has left.
func (p *response) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.control != nil && p.cancel != nil {
		_ = p.control.SetWriteDeadline(time.Unix(1, 0))
		p.cancel()
		p.cancel = nil
	}
}

// leave is the last call, by the stream's goroutine: the connection is no longer the reader's.
func (p *response) leave() {
	p.reader.log.leave(p.reader)
	p.limit.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.control = nil
	if p.cancel != nil {
		p.cancel()
	}
	p.drop()
	p.reader.release()
}
