package realtime

import (
	"context"
	"time"
)

// within is how long a snapshot may take, and how long a reader waits for one.
const within = 10 * time.Second

// calls is how a hub asks for snapshots: one at a time, and one for all who wait.
type calls struct {
	current *call
	log     []*update // released since current was asked
	bytes   int
	spoiled bool // an update is missing from log, so current's answer makes nobody whole

	last   time.Time     // when the last one was asked
	served time.Time     // when one was last answered
	gap    time.Duration // from a question to the next one
	due    *time.Timer
}

// call is one question.
type call struct {
	before uint64 // the last reader that had joined when it was asked
	cancel context.CancelFunc
	ended  chan struct{}
}

// While readers come faster than rush a second, each question waits twice as long after the last one, up to slowest, so that one
// answer serves many: 5,000 readers that come within 9 s cost at most 10 questions. Otherwise a reader waits fastest at most.
const (
	fastest = 50 * time.Millisecond
	slowest = 2 * time.Second
	rush    = 320
	few     = 16 // are no rush
)

func newCalls() calls {
	due := time.NewTimer(time.Hour)
	due.Stop()
	return calls{due: due}
}

// ask begins the next snapshot when somebody waits and it is time.
func (h *hub) ask() {
	c := &h.calls
	if c.current != nil || len(h.waiting.readers) == 0 {
		return
	}
	now := time.Now()
	if wait := c.last.Add(c.gap).Sub(now); wait > 0 {
		c.due.Reset(wait)
		return
	}
	c.last = now
	ctx, cancel := context.WithTimeout(h.ctx, within)
	c.current = &call{before: h.joined, cancel: cancel, ended: make(chan struct{})}
	c.log, c.bytes, c.spoiled = nil, 0, false
	go h.call(ctx, c.current)
}

// call asks the module. A panic is a failed snapshot; its value may tell of the data.
func (h *Hub) call(ctx context.Context, c *call) {
	defer close(c.ended)
	a := answer{call: c, err: ErrHandlerFailed}
	defer func() {
		if recover() != nil {
			a.err = ErrHandlerFailed
			h.log.Error("realtime snapshot panicked")
		}
		c.cancel()
		h.box.put(a)
	}()
	a.state, a.err = h.snapshot(ctx)
	if a.err != nil {
		return
	}
	var err error
	if a.state.Data, err = line(a.state.Data, MaxSnapshot); err != nil || a.state.Process == 0 {
		a.err = ErrHandlerFailed
	}
}

func (m answer) tell(h *hub) {
	c := &h.calls
	if m.call != c.current {
		return
	}
	c.current = nil
	switch {
	case m.err != nil:
		h.refuseAsked(m)
	case m.state.Process < h.floor || m.state.Process < h.process || c.spoiled:
		// Of a life that is over, or good for nobody: ask again.
	default:
		h.adopt(m.state.Process)
		h.start(m.state, c.after(m.state.Number))
	}
	c.log = nil
	h.ask()
}

// refuseAsked ends the wait of those for whom m was asked; who joined later gets a question of its own.
func (h *hub) refuseAsked(m answer) {
	for i := len(h.waiting.readers) - 1; i >= 0; i-- {
		if r := h.waiting.readers[i]; r.joined <= m.before {
			h.waiting.remove(r)
			r.refuse(coded(m.err))
		}
	}
}

// start makes all who wait live.
func (h *hub) start(state State, missing []*update) {
	h.begin(state.Number)
	// Ids count on from the snapshot's: it takes the place of what came before the first update that follows.
	position := h.id - uint64(len(missing))
	if h.order.next <= state.Number {
		position += state.Number + 1 - h.order.next
	}
	first := frame(position, snapshotEvent, state.Data)
	first.Retry = retryAfter
	started := h.waiting.take()
	h.calls.pace(len(started), time.Now())
	for _, r := range started {
		r.from = state.Number
		if r.start(first, position, missing) {
			h.live.add(r)
		}
	}
}

// pace sets the gap by how many readers one answer served.
func (c *calls) pace(readers int, now time.Time) {
	elapsed := now.Sub(c.served)
	c.served = now
	if readers > few && float64(readers) > rush*elapsed.Seconds() {
		c.gap = min(max(2*c.gap, fastest), slowest)
	} else {
		c.gap = max(c.gap/2, fastest)
	}
}

// after is what of the log the snapshot does not make up for.
func (c *calls) after(number uint64) (missing []*update) {
	for _, u := range c.log {
		if u.number == 0 || u.number > number {
			missing = append(missing, u)
		}
	}
	return missing
}

// keep logs u for the snapshot under way; false when those who wait for it would find their mailbox full.
func (c *calls) keep(u *update) bool {
	if c.current == nil || c.spoiled {
		return true
	}
	if len(c.log)+2 >= mailboxEvents || c.bytes+len(u.data) > mailboxBytes-1024 { // a snapshot and a heartbeat go first
		c.spoil()
		return false
	}
	c.log = append(c.log, u)
	c.bytes += len(u.data)
	return true
}

// spoil: the log has a hole, so the answer is good for nobody and the question is put again.
func (c *calls) spoil() { c.log, c.spoiled = nil, true }

// forgetLocal: the numbers in the log are of a life that is over.
func (c *calls) forgetLocal() {
	kept := c.log[:0]
	for _, u := range c.log {
		if u.number == 0 {
			kept = append(kept, u)
		}
	}
	c.log = kept
}

func (c *calls) close() {
	c.due.Stop()
	if c.current != nil {
		c.current.cancel()
		<-c.current.ended
	}
}
