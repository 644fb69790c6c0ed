package hub

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/realtime/update"
)

// Hub is the actor of one channel. It is a supervisor.Service, which Hubs runs. All methods but Serve are
// safe for concurrent use.
type Hub struct {
	name     name
	snapshot Snapshot
	latest   *latest         // nil unless it is a LatestChannel
	link     *backplane.Link // nil: there are no other processes
	log      *zap.Logger
	share    time.Duration // see snapshots
	ready    chan struct{}
	inbox    *update.Queue[message]
	account  update.Account // nil: nothing is counted
	sockets  *stream.Sockets
	counts   counts
}

// hubLimits are how many updates, and how many bytes of them, may wait for a hub. A hub passes one event to
// 5,000 readers in a few milliseconds.
var hubLimits = update.Load{Updates: 1_024, Bytes: 8 << 20}

func newHub(name name, snapshot Snapshot, set *Hubs) *Hub {
	return &Hub{
		name:     name,
		snapshot: snapshot,
		share:    set.share,
		link:     set.link,
		sockets:  set.sockets,
		log:      set.log.With(zap.String("module", name.module), zap.String("channel", name.channel)),
		ready:    make(chan struct{}),
		inbox:    update.NewQueue[message](hubLimits),
	}
}

// Publish sends one update to every reader and to other processes. number counts the publishes of one run of
// the module's process on this channel, from 1 and without gaps; process is that run, as in State. data is
// JSON, at most 64 KiB when compact; the hub keeps and modifies it. Calls may be made in any order. Publish
// never blocks. After ErrTooLarge, ErrInvalid, ErrHostOverloaded, or ErrKey for a LatestChannel, no reader
// gets the update.
//
// Updates are dropped while Serve does not run, because then there are no readers. If more updates arrive
// than a hub can handle (1,024 updates or 8 MiB are waiting), all readers have missed an update. They are
// made to reconnect, here and in other processes.
func (h *Hub) Publish(process, number uint64, data []byte) error {
	if h.latest != nil {
		return ErrKey
	}
	data, err := update.Compact(data, update.MaxData)
	var charged *update.Charge
	if err == nil {
		var fits bool
		if charged, fits = update.Reserve(h.account, data); !fits {
			data, err = nil, ErrHostOverloaded
		}
	}
	if !h.inbox.PutUpdate(publish{process, numbered{number, data, charged}}, len(data)) {
		charged.Drop()
	}
	return err
}

// Drain is Hubs.Drain for one hub.
func (h *Hub) Drain() { h.inbox.Put(drain{}) }

// Ready is closed when the hub accepts publishes and readers.
func (h *Hub) Ready() <-chan struct{} { return h.ready }

// String returns the service's name.
func (h *Hub) String() string { return "realtime " + h.name.module + "/" + h.name.channel }

// message is a message to the hub's loop. These are all its types:
type message interface{ handle(*hub) }

type (
	join    struct{ *reader }
	leave   struct{ *reader }
	publish struct {
		process uint64
		numbered
	}
	ended          uint64 // a run of the module's process has ended
	drain          struct{}
	snapshotResult struct {
		*snapshotCall
		state State
		err   error
	}
	fromPeer struct { // from another process's hub
		backplane.Message
		charge *update.Charge
	}
	announce struct{} // tells the other processes the number of the last update
	linked   bool     // whether the backplane is connected
)

// hub is the state of one run of Serve. Only the goroutine of Serve uses it.
type hub struct {
	*Hub
	ctx      context.Context
	draining bool
	backlog  backlog

	process uint64 // the run of the module's process to which readers and numbers belong; 0: none yet
	floor   uint64 // runs with lower numbers have ended
	order   reorderBuffer
	newest  map[string]uint64 // last numbers by key, on a LatestChannel
	id      uint64            // id of the last released update
	joined  uint64            // number of readers that have ever joined

	events    *stream.Log // the log of the live readers
	settle    *time.Timer
	waiting   map[*reader]struct{}
	snapshots snapshots
	peers     backplane.Peers
}

// Serve is one run of the hub, until ctx ends. It waits for the snapshot in progress.
func (h *Hub) Serve(ctx context.Context) error {
	run := &hub{Hub: h, ctx: ctx, backlog: newBacklog(), snapshots: newSnapshots()}
	run.peers = backplane.NewPeers(h.link, channel{h})
	run.newest = make(map[string]uint64)
	run.waiting = make(map[*reader]struct{})
	run.events = stream.NewLog(h.latest != nil, &h.counts.Counts)
	run.settle = time.NewTimer(time.Hour)
	run.settle.Stop()
	h.latest.forget()
	h.inbox.Begin()
	defer run.close()
	select {
	case <-h.ready: // a later run may begin in the middle of a numbering
	default:
		run.order.next = 1
		close(h.ready)
	}
	// Overtaken numbers, silent processes and announcements need no more precise clock.
	tick := time.NewTicker(backplane.AnnounceInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.inbox.Wake():
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

// close ends every stream, and waits for the snapshot in progress.
func (h *hub) close() {
	left := append(h.backlog.rest(), h.inbox.End()...)
	h.backlog.resume.Stop()
	h.settle.Stop()
	h.endLive()
	h.refuseWaiting(ErrUnavailable)
	for _, m := range left {
		switch m := m.(type) {
		case join:
			m.reader.refuse(ErrUnavailable)
		case publish, slot: // the module's last updates are still sent to other processes
			m.handle(h)
		}
		drop(m)
	}
	h.snapshots.close()
	h.snapshots.empty()
	h.events.Close()
	h.order.forget(0)
	h.peers.Announce(backplane.KindGoodbye)
}

func (m join) handle(h *hub) {
	if h.draining {
		m.reader.refuse(ErrUnavailable)
		return
	}
	h.joined++
	m.reader.joined = h.joined
	h.waiting[m.reader] = struct{}{}
	if shared, missing, ok := h.snapshots.share(time.Now(), h.share); ok {
		h.start(shared, missing)
		return
	}
	h.ask()
}

func (m leave) handle(h *hub) {
	delete(h.waiting, m.reader)
}

func (m publish) handle(h *hub) {
	if m.process < h.floor || m.process < h.process {
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
	if !h.draining { // after a crash the last committed change may not have been published
		h.peers.Announce(backplane.KindLost)
	}
}

func (drain) handle(h *hub) {
	h.draining = true
	h.endLive()
	h.refuseWaiting(ErrUnavailable)
}

// adopt makes a run of the module's process the current one. Readers of the previous run are disconnected.
func (h *hub) adopt(process uint64) {
	if process == h.process {
		return
	}
	h.endLive()
	h.snapshots.forgetLocal()
	if h.process != 0 {
		h.order.forget(1)
		h.newest = make(map[string]uint64)
		h.id = uint64(len(h.snapshots.log)) // the log contains only updates of other processes now
	}
	h.process, h.floor = process, max(h.floor, process)
}

// begin sets the position in the numbering if it is unknown: number was the last one.
func (h *hub) begin(number uint64) {
	if h.order.next == 0 {
		h.order.next = number + 1
		h.id = number + uint64(len(h.snapshots.log)) // plus the logged updates of other processes
	}
}

// release sends updates of this process's module to readers here and to other processes.
func (h *hub) release(released []numbered) {
	for _, p := range released {
		if p.data == nil { // it was refused when it was published
			h.id++
			continue
		}
		h.pass(&stream.Update{Number: p.number, Charge: p.charge}, p.data)
		h.peers.Send("", p.data)
		p.charge.Drop()
	}
}

// pass appends one update to the log of the live readers and to the log for readers that wait for a snapshot.
func (h *hub) pass(u *stream.Update, data []byte) {
	h.id++
	u.ID, u.Size = h.id, len(data)
	live := h.events.Readers() > 0
	if live || h.snapshots.logging() {
		u.Frame = h.events.Frame(u.ID, data)
	}
	if !h.snapshots.keep(u) {
		h.refuseWaiting(ErrOverloaded)
	}
	h.counts.updates.Add(1)
	if live {
		h.makeRoom(u.Size)
		h.events.Add(u, h.expected())
	}
}

// expected returns the number that the log stores with an entry: that of the next publish.
func (h *hub) expected() uint64 {
	if h.latest != nil {
		return stream.Unnumbered
	}
	return h.order.next
}

// makeRoom is called before an entry is appended to the log of the live readers.
func (h *hub) makeRoom(size int) {
	if h.events.Full(size) {
		h.events.Settle(0)
	}
	h.settle.Reset(settleInterval)
}

// settleInterval is about how long the log keeps entries that every reader has taken.
const settleInterval = time.Second

// settleLog drops taken entries, and repeats that while the log has entries.
func (h *hub) settleLog() {
	if h.events.Settle(0); h.events.Holds() {
		h.settle.Reset(settleInterval)
	}
}

// skip stops waiting for a missing number.
func (h *hub) skip(now time.Time) {
	h.missed()
	h.peers.Announce(backplane.KindLost)
	expected := h.order.next
	if released := h.order.giveUp(now); len(released) > 0 {
		h.id += released[0].number - expected
		h.release(released)
	}
}

// overflowed handles the loss of updates of this process that did not fit into the inbox. No reader has got
// them, here or in other processes, and their numbers are unknown.
func (h *hub) overflowed() {
	h.log.Warn("realtime updates dropped")
	h.counts.overflows.Add(1)
	h.missed()
	h.order.forget(0)
	h.peers.Announce(backplane.KindLost)
}

// missed disconnects every live reader after a lost update, so that each fetches a new snapshot. A snapshot
// that is being made or shared is discarded, because it may predate the update.
func (h *hub) missed() {
	h.endLive()
	h.snapshots.discard()
}

func (h *hub) endLive() {
	if h.events.Readers() > 0 {
		h.makeRoom(0)
		h.events.End(h.id, h.expected())
	}
}

func (h *hub) refuseWaiting(err error) {
	for r := range h.waiting {
		r.refuse(err)
	}
	h.waiting = make(map[*reader]struct{})
}

// tick checks the timeouts.
func (h *hub) tick(now time.Time) {
	if h.order.broken(now) {
		h.skip(now)
	}
	if h.peers.Silent(now) {
		h.missed()
	}
	h.peers.Announce(backplane.KindCount)
}
