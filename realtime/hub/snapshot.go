package hub

import (
	"context"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/realtime/update"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	// shareFor is how long after its request a snapshot serves further readers, together with the updates that
	// were released since.
	shareFor = 2 * time.Second
	// fastest and slowest bound the time between requests when snapshots could not be shared for shareFor,
	// because more was released than a mailbox holds. The time grows, so that even then one response serves many
	// readers.
	fastest = 50 * time.Millisecond
	slowest = 2 * time.Second
)

// snapshots manages a hub's requests for snapshots: one at a time, and one for all readers that come within
// shareFor of the request.
type snapshots struct {
	current *snapshotCall
	shared  *State           // the last snapshot, while it serves new readers; nil while current is not
	log     []*stream.Update // released since the request of current or shared
	bytes   int
	spoiled bool // log lacks an update, so current's result must not be used

	last time.Time     // when the last snapshot was requested
	gap  time.Duration // least time between two requests
	due  *time.Timer
}

// snapshotCall is one request to the module.
type snapshotCall struct {
	before uint64 // the last reader that had joined at the request
	cancel context.CancelFunc
	ended  chan struct{}
}

func newSnapshots() snapshots {
	due := time.NewTimer(time.Hour)
	due.Stop()
	return snapshots{due: due, gap: fastest}
}

// ask requests the next snapshot if a reader waits and gap has passed.
func (h *hub) ask() {
	c := &h.snapshots
	if c.current != nil || len(h.waiting) == 0 {
		return
	}
	now := time.Now()
	h.forgetShared(now)
	if wait := c.last.Add(c.gap).Sub(now); wait > 0 {
		c.due.Reset(wait)
		return
	}
	c.last = now
	ctx, cancel := context.WithTimeout(h.ctx, deadlines.Snapshot)
	c.current = &snapshotCall{before: h.joined, cancel: cancel, ended: make(chan struct{})}
	c.empty()
	c.spoiled = false
	go h.call(ctx, c.current)
}

// call makes the request to the module. A panic counts as a failed snapshot; its value is not logged, because
// it may contain data.
func (h *Hub) call(ctx context.Context, c *snapshotCall) {
	defer close(c.ended)
	a := snapshotResult{snapshotCall: c, err: ErrHandlerFailed}
	defer func() {
		if recover() != nil {
			a.err = ErrHandlerFailed
			h.log.Error("realtime snapshot panicked")
		}
		c.cancel()
		if !h.inbox.Put(a) {
			a.state.charge.Drop()
		}
	}()
	a.state, a.err = h.snapshot(ctx)
	if a.err != nil {
		return
	}
	var err error
	if a.state.Data, err = update.Compact(a.state.Data, update.MaxSnapshot); err != nil || a.state.Process == 0 {
		a.err = ErrHandlerFailed
		return
	}
	var fits bool
	if a.state.charge, fits = update.Reserve(h.account, a.state.Data); !fits {
		a.state, a.err = State{}, ErrOverloaded
	}
}

func (m snapshotResult) handle(h *hub) {
	c := &h.snapshots
	if m.snapshotCall != c.current {
		return
	}
	c.current = nil
	switch {
	case m.err != nil:
		h.refuseAsked(m)
	case m.state.Process < h.floor || m.state.Process < h.process || c.spoiled:
		// It is of a run that has ended, or older than a lost update: request another one.
	default:
		h.adopt(m.state.Process)
		m.state.charge.Keep()
		m.state.frame, m.state.Data = h.events.SnapshotFrame(m.state.Data), nil
		c.shared = &m.state
		h.start(m.state, c.after(m.state.Number))
		c.due.Reset(time.Until(c.last.Add(h.share)))
		return
	}
	c.discard()
	h.ask()
}

// refuseAsked refuses the readers for which m was requested. A new snapshot is requested for those that
// joined later.
func (h *hub) refuseAsked(m snapshotResult) {
	for r := range h.waiting {
		if r.joined <= m.before {
			delete(h.waiting, r)
			r.refuse(coded(m.err))
		}
	}
}

// start makes all waiting readers live.
func (h *hub) start(state State, missing []*stream.Update) {
	h.begin(state.Number)
	if len(h.waiting) == 0 {
		return
	}
	// Ids count on from the snapshot's id, which is one below that of the first update that follows.
	position := h.id - uint64(len(missing))
	if h.latest == nil && h.order.next <= state.Number {
		position += state.Number + 1 - h.order.next
	}
	if h.latest != nil && len(missing) > 0 { // some of them were replaced by newer ones
		position = min(position, missing[0].ID-1)
	}
	p := h.events.Prelude(position, state.frame, state.charge, missing)
	for r := range h.waiting {
		h.admit(r, p, state.Number)
	}
	h.waiting = make(map[*reader]struct{})
}

// admit makes a reader live, unless its client has disconnected.
func (h *hub) admit(r *reader, p *stream.Prelude, number uint64) {
	if r.decided.Swap(true) {
		return
	}
	if r.live = h.events.Join(p, number, h.sockets); r.live == nil {
		r.outcome <- ErrUnavailable
		return
	}
	r.outcome <- nil
}

// share returns the snapshot for a new reader, and the updates that follow it.
func (c *snapshots) share(
	now time.Time, window time.Duration,
) (state State, missing []*stream.Update, ok bool) {
	if c.shared == nil || now.Sub(c.last) >= window {
		return State{}, nil, false
	}
	return *c.shared, c.after(c.shared.Number), true
}

// forgetShared stops sharing a snapshot after the hub's time for that.
func (h *hub) forgetShared(now time.Time) {
	if c := &h.snapshots; c.shared != nil && now.Sub(c.last) >= h.share {
		c.discard()
		c.gap = fastest
	}
}

// after returns the logged updates that the snapshot does not contain.
func (c *snapshots) after(number uint64) (missing []*stream.Update) {
	for _, u := range c.log {
		if u.Number == 0 || u.Number > number {
			missing = append(missing, u)
		}
	}
	return missing
}

// logging reports whether updates must be logged for readers of a snapshot that is being made or shared.
func (c *snapshots) logging() bool { return c.current != nil || c.shared != nil }

// keep logs u for the readers of the snapshot that is being made or shared. It returns false if the mailboxes
// of the waiting readers would be full.
func (c *snapshots) keep(u *stream.Update) bool {
	if !c.logging() || c.spoiled {
		return true
	}
	if u.Key != "" {
		c.supersede(u.Key)
	}
	if len(c.log)+2 >= stream.MailboxEvents ||
		c.bytes+u.Size > stream.MailboxBytes-1024 { // room for the snapshot and a heartbeat
		c.gap = min(2*c.gap, slowest)
		c.discard()
		return c.current == nil
	}
	u.Charge.Keep()
	c.log = append(c.log, u)
	c.bytes += u.Size
	return true
}

// supersede removes the value of this key from the log, because a newer one follows.
func (c *snapshots) supersede(key string) {
	c.remove(func(u *stream.Update) bool { return u.Key == key })
}

// remove removes some updates from the log.
func (c *snapshots) remove(some func(u *stream.Update) bool) {
	c.log = slices.DeleteFunc(c.log, func(u *stream.Update) bool {
		if !some(u) {
			return false
		}
		c.bytes -= u.Size
		u.Charge.Drop()
		return true
	})
}

// filling reports whether the log of a snapshot that was requested less than SlowReaderWait ago is half full.
func (c *snapshots) filling(now time.Time) bool {
	return c.current != nil && (len(c.log) >= stream.MailboxEvents/2 || c.bytes >= stream.MailboxBytes/2) &&
		now.Sub(c.last) < stream.SlowReaderWait
}

// discard drops the snapshot. If one is being made, its result will not be used and another one is requested.
func (c *snapshots) discard() {
	c.empty()
	c.spoiled = c.current != nil
}

// forgetLocal drops what belongs to the run of the module's process that has ended.
func (c *snapshots) forgetLocal() {
	if c.shared != nil {
		c.discard()
		return
	}
	c.remove(func(u *stream.Update) bool { return u.Number != 0 })
}

func (c *snapshots) close() {
	c.due.Stop()
	if c.current != nil {
		c.current.cancel()
		<-c.current.ended
	}
}

// empty drops the shared snapshot and the log.
func (c *snapshots) empty() {
	if c.shared != nil {
		c.shared.charge.Drop()
	}
	c.remove(func(*stream.Update) bool { return true })
	c.shared, c.log = nil, nil
}
