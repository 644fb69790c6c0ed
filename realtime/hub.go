package realtime

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// Hub is the actor of one channel, a supervisor.Service that Hubs runs. All methods but Serve are safe for
// concurrent use.
type Hub struct {
	name     name
	snapshot Snapshot
	latest   *latest // nil unless the channel is one of newest values
	link     *Link   // nil: alone
	log      *zap.Logger
	share    time.Duration // see snapshots
	ready    chan struct{}
	inbox    *boundedQueue[message]
	account  Account // nil: nothing is counted
	sockets  *sockets
	counts   counts
}

// hubLimits are how many updates, and of how many bytes, may wait for a hub. It hands one event to 5,000
// readers in a few milliseconds.
var hubLimits = load{updates: 1_024, bytes: 8 << 20}

func newHub(name name, snapshot Snapshot, set *Hubs) *Hub {
	return &Hub{
		name:     name,
		snapshot: snapshot,
		share:    set.share,
		link:     set.link,
		sockets:  set.sockets,
		log:      set.log.With(zap.String("module", name.module), zap.String("channel", name.channel)),
		ready:    make(chan struct{}),
		inbox:    newBoundedQueue[message](hubLimits),
	}
}

// Publish passes one update on to every reader and to other processes. number counts the publishes of one
// run of the module's process on this channel, 1 first, without a gap; process is that run, as in State.
// data is JSON, at most 64 KiB when compact, and the hub's from now on; calls may come in any order. It
// never blocks. ErrTooLarge, ErrInvalid, ErrHostOverloaded, or, for a channel of newest values, ErrKey:
// nobody gets it.
//
// What comes when the hub is not served is dropped: it has no readers then. When more comes than a hub can
// pass on (1,024 updates or 8 MiB are waiting), the readers are told to reconnect, here and in other
// processes, for all of them missed an update.
func (h *Hub) Publish(process, number uint64, data []byte) error {
	if h.latest != nil {
		return ErrKey
	}
	data, err := compactJSON(data, MaxUpdate)
	var charged *charge
	if err == nil {
		var fits bool
		if charged, fits = h.take(data); !fits {
			data, err = nil, ErrHostOverloaded
		}
	}
	if !h.inbox.putUpdate(publish{process, numbered{number, data, charged}}, len(data)) {
		charged.drop(0)
	}
	return err
}

// refuse counts the number of an update that is not delivered.
func (h *Hub) refuse(process, number uint64, err error) error {
	if h.latest == nil {
		h.inbox.putUpdate(publish{process, numbered{number: number}}, 0)
	}
	return err
}

// Drain is Hubs.Drain for one hub.
func (h *Hub) Drain() { h.inbox.put(drain{}) }

// Ready is closed when publishes and readers are let in.
func (h *Hub) Ready() <-chan struct{} { return h.ready }

// String names the service.
func (h *Hub) String() string { return "realtime " + h.name.module + "/" + h.name.channel }

// message is a message to the hub's loop. The types below are all that there are.
type message interface{ handle(*hub) }

type (
	join    struct{ *reader }
	leave   struct{ *reader }
	publish struct {
		process uint64
		numbered
	}
	ended          uint64 // a run of the module's process
	drain          struct{}
	snapshotResult struct {
		*snapshotCall
		state State
		err   error
	}
	fromPeer struct { // of another process's hub
		peerMessage
		charge *charge
	}
	announce struct{} // tell the other processes what was released
	linked   bool     // the backplane is there, or lost
)

// hub is the state of one run of Serve, owned by its goroutine.
type hub struct {
	*Hub
	ctx      context.Context
	draining bool
	backlog  backlog

	process uint64 // the run of the module's process that readers and numbers belong to; 0: none yet
	floor   uint64 // runs below it are over
	order   reorderBuffer
	newest  map[string]uint64 // numbers, by key, of a channel of newest values
	id      uint64            // of the update released last
	joined  uint64            // readers that ever joined

	events    *eventLog // of the live readers
	settle    *time.Timer
	waiting   readerSet
	snapshots snapshots
	peers     peers
}

// Serve is one run of the hub, until ctx ends. It returns when the snapshot under way has.
func (h *Hub) Serve(ctx context.Context) error {
	run := &hub{Hub: h, ctx: ctx, backlog: newBacklog(), snapshots: newSnapshots(), peers: newPeers(h.link)}
	run.newest = make(map[string]uint64)
	run.events = newEventLog(h.latest != nil, &h.counts)
	run.settle = time.NewTimer(time.Hour)
	run.settle.Stop()
	h.latest.forget()
	h.inbox.begin()
	defer run.close()
	select {
	case <-h.ready: // this run may begin within a numbering
	default:
		run.order.next = 1
		close(h.ready)
	}
	// An overtaken number, a silent process and a beacon need no better clock.
	tick := time.NewTicker(announceInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.inbox.wake:
			run.work()
		case <-run.backlog.resume.C:
			run.work()
		case <-run.snapshots.due.C:
			run.forgetShared(time.Now())
			run.ask()
		case <-run.settle.C:
			run.settleLog()
		case now := <-tick.C:
			run.tick(now)
		}
	}
}

// close ends every stream, and waits for the snapshot under way.
func (h *hub) close() {
	left := append(h.backlog.rest(), h.inbox.end()...)
	h.backlog.resume.Stop()
	h.settle.Stop()
	h.endLive()
	h.refuseWaiting(ErrUnavailable)
	for _, m := range left {
		switch m := m.(type) {
		case join:
			m.reader.refuse(ErrUnavailable)
		case publish, slot: // the module's last words, for other processes
			m.handle(h)
		case fromPeer:
			m.charge.drop(0)
		case snapshotResult:
			m.state.charge.drop(0)
		}
	}
	h.snapshots.close()
	h.snapshots.empty()
	h.events.close()
	h.events.frames.close()
	h.order.forget(0)
	h.announceKind(kindGoodbye)
}

func (m join) handle(h *hub) {
	if h.draining {
		m.reader.refuse(ErrUnavailable)
		return
	}
	h.joined++
	m.reader.joined = h.joined
	h.waiting.add(m.reader)
	if shared, missing, ok := h.snapshots.share(time.Now(), h.share); ok {
		h.start(shared, missing)
		return
	}
	h.ask()
}

func (m leave) handle(h *hub) {
	h.waiting.remove(m.reader)
}

func (m publish) handle(h *hub) {
	if m.process < h.floor || m.process < h.process {
		m.charge.drop(0)
		return
	}
	h.adopt(m.process)
	h.begin(m.number - 1)
	now := time.Now()
	h.release(h.order.add(m.numbered, now))
	if h.order.broken(now) {
		h.skip(now)
	}
}

func (m ended) handle(h *hub) {
	if uint64(m) < h.floor {
		return
	}
	h.floor = uint64(m) + 1
	if h.process != 0 && h.process < h.floor {
		h.endLive()
		h.snapshots.discard()
	}
	if !h.draining { // a crash: what it committed last may not have been published
		h.announceKind(kindLost)
	}
}

func (drain) handle(h *hub) {
	h.draining = true
	h.endLive()
	h.refuseWaiting(ErrUnavailable)
}

// adopt makes a run of the module's process the current one. Readers of the one before have missed its end.
func (h *hub) adopt(process uint64) {
	if process == h.process {
		return
	}
	h.endLive()
	h.snapshots.forgetLocal()
	if h.process != 0 {
		h.order.forget(1)
		h.newest = make(map[string]uint64)
		h.id = uint64(len(h.snapshots.log)) // those of other processes stay
	}
	h.process, h.floor = process, max(h.floor, process)
}

// begin takes the numbering up where it is unknown: number has been.
func (h *hub) begin(number uint64) {
	if h.order.next == 0 {
		h.order.next = number + 1
		h.id = number + uint64(len(h.snapshots.log)) // of other processes
	}
}

// release passes updates of this process's module on, here and to other processes.
func (h *hub) release(released []numbered) {
	defer func() {
		for _, p := range released {
			p.charge.drop(0)
		}
	}()
	for _, p := range released {
		if p.data == nil { // refused when it was published
			h.id++
			continue
		}
		h.pass(&update{number: p.number, charge: p.charge}, p.data)
		h.sendUpdate("", p.data, p.charge)
	}
}

// pass gives one update to every reader, and to the log of those to come.
func (h *hub) pass(u *update, data []byte) {
	h.id++
	u.id, u.size = h.id, len(data)
	live := h.events.readers() > 0
	if live || h.snapshots.logging() {
		u.frame = h.events.frames.encode(newEvent(u.id, updateEvent, data))
	}
	if !h.snapshots.keep(u) {
		h.refuseWaiting(ErrOverloaded)
	}
	h.counts.updates.Add(1)
	if live {
		h.append(entry{frame: u.frame, id: u.id, number: u.number, key: u.key, size: u.size, charge: u.charge})
	}
}

// append adds to the log of the live readers.
func (h *hub) append(e entry) {
	if e.next = unnumbered; h.latest == nil {
		e.next = h.order.next
	}
	if h.events.full(e.size) {
		h.events.settle(0)
	}
	h.events.add(e)
	h.settle.Reset(settleInterval)
}

// settleInterval is how long the log keeps what no reader needs, at most about.
const settleInterval = time.Second

// settleLog looks again for as long as somebody needs the log.
func (h *hub) settleLog() {
	if h.events.settle(0); h.events.holds() {
		h.settle.Reset(settleInterval)
	}
}

// skip gives a missing number up.
func (h *hub) skip(now time.Time) {
	h.missed()
	h.announceKind(kindLost)
	expected := h.order.next
	if released := h.order.giveUp(now); len(released) > 0 {
		h.id += released[0].number - expected
		h.release(released)
	}
}

// overflowed follows updates of this process that did not fit into the inbox. Nobody has them, here or in
// other processes, and their numbers are unknown.
func (h *hub) overflowed() {
	h.log.Warn("realtime updates dropped")
	h.counts.overflows.Add(1)
	h.missed()
	h.order.forget(0)
	h.announceKind(kindLost)
}

// missed disconnects every live reader after a lost update, so that each fetches a new snapshot. A snapshot
// that is being made or shared is discarded, because it may predate the update.
func (h *hub) missed() {
	h.endLive()
	h.snapshots.discard()
}

func (h *hub) endLive() {
	if h.events.readers() > 0 {
		h.append(entry{frame: h.events.frames.encode(reconnect(h.id)), id: h.id, last: true})
		h.events.finish()
	}
}

func (h *hub) refuseWaiting(err error) {
	for _, r := range h.waiting.take() {
		r.refuse(err)
	}
}

// tick looks at what has taken too long.
func (h *hub) tick(now time.Time) {
	if h.order.broken(now) {
		h.skip(now)
	}
	if h.link != nil {
		if h.peers.silent(now) {
			h.missed()
		}
		h.announceKind(kindCount)
	}
}
