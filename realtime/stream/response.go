package stream

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// response is a stream that its own goroutine writes, because its connection cannot be taken from net/http:
// there is no socket or no epoll.
type response struct {
	reader *Reader
	limit  *time.Timer // fires when the grace of the stream's end is over
	at     position
	taken  []entry // the entries that are being written
	ended  bool

	mu      sync.Mutex
	control *http.ResponseController // nil after the stream has ended
	cancel  context.CancelFunc
}

// respond writes the stream until it ends, or its client has left.
func (r *Reader) respond(w http.ResponseWriter, request *http.Request) {
	ctx, cancel := context.WithCancel(request.Context())
	p := &response{reader: r, cancel: cancel, at: position{next: Unnumbered},
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
			if frame := p.taken[i].frameFor(r.from); frame != nil && !p.write(w, frame) {
				return
			}
			p.at, p.ended = p.taken[i].position(), p.taken[i].last
		}
	}
	p.flush()
}

// streamHeader sets the headers of every stream's response.
func streamHeader(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
}

// begin allows the log to disconnect the reader from now on. It returns false if the log has done so already.
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

// opened is called when the beginning of the stream has been written.
func (p *response) opened() {
	r := p.reader
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.opening, r.moved = 0, time.Now()
	r.release()
}

// take waits until there is something to write. It returns false if the stream has ended.
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

// next drops the written entries and takes the next ones. If there are none, changed is closed when there
// are.
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
	p.taken = nil // frees the memory of an idle reader
	if r.idle = wait; wait && l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// busy records that the reader is about to write. The hub waits for an idle reader, because that one takes
// the next entry at once, but a reader that writes may block.
func (p *response) busy() {
	p.reader.log.mu.Lock()
	defer p.reader.log.mu.Unlock()
	p.reader.idle, p.reader.moved = false, time.Now()
}

func (p *response) drop() {
	for i := range p.taken {
		p.taken[i].charge.Drop()
	}
	clear(p.taken)
	p.taken = p.taken[:0]
}

// wait also writes heartbeats, and ends a stream after its lifetime.
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

// cut ends the stream of a reader that is too slow at once, even during a write.
func (p *response) cut() {
	p.reader.log.counts.Cut.Add(1)
	p.hangUp()
}

// tooLate is called by the timer limit.
func (p *response) tooLate() {
	p.mu.Lock()
	over := p.control == nil
	p.mu.Unlock()
	if !over {
		p.cut()
	}
}

// hangUp is cut for a client that has disconnected.
func (p *response) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.control != nil && p.cancel != nil {
		_ = p.control.SetWriteDeadline(time.Unix(1, 0))
		p.cancel()
		p.cancel = nil
	}
}

// leave is the last call of the stream's goroutine. After it the connection must not be used.
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
