// Package realtime owns the event streams of modules: one hub for each (module, channel), the readers of
// its stream, and the optional backplane that carries updates between processes.
//
// A hub is an actor. A reader is registered before its snapshot is asked for, waits in the hub until it
// comes, and is live from the snapshot's position on:
//
//	Stream → waiting ── snapshot came → live ─┬─ cut: mailbox full, socket blocked, client left
//	             └── refused: a code,         └─ reconnect: after 4 to 5 min, at a stop, when the
//	                 no headers                  process ends, after a lost update
//
// Why no update is lost or sent twice. A hub puts its module's publishes in the order of their numbers, and
// from the moment it asks for a snapshot it keeps a log of what it released. The module reads the number n
// before it makes the snapshot, so whatever is numbered above n reaches the hub after the question: it is
// in the log, or yet to come. Every reader that waits when the response is there, also one that registered
// after the question, gets the snapshot, the log above n, and what follows above n. So does who comes
// within 2 s of the question, for as long as the log has all that was released since: see snapshots.
//
// Another process's updates carry numbers of another module process, which say nothing about n. A reader
// gets those that were released here since its snapshot was asked for: what came earlier was committed
// before the snapshot began. It may thus be told what the snapshot shows already, never the other way. See
// peers.go for how a hub notices that it missed one.
//
// On a channel of newest values a reader that is slow, or a burst, costs no reader its stream: for each key
// only the newest value waits anywhere, in the order in which the newest came.
//
// How an event reaches its readers. The hub frames it once (frames.go) and appends it to its log (log.go), of
// which every reader's mailbox is the part that it has not taken. When its snapshot is there, a stream takes
// its connection from net/http, and is from then on a place in the log and a socket, without a goroutine:
// shards write what is new in the log to the sockets (shard.go), a watch tells which have room again and
// whose client has left (watch_linux.go), and a sweep keeps heartbeats and deadlines (sweep.go). Where there
// is no socket, or no epoll, the stream's own goroutine reads the log (response.go).
//
// A stream's ids count on from its snapshot's, which is the number of updates released by the hub in the
// run of the module's process: without other processes, the publish number.
package realtime

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Limits in bytes and events.
const (
	MaxSnapshot = 1 << 20
	MaxUpdate   = 64 << 10

	mailboxEvents = 256
	mailboxBytes  = 1 << 20
)

// State is a channel's state as a module's process told it.
type State struct {
	Data    []byte // JSON, at most 1 MiB when compact; the hub's from now on
	Number  uint64 // of the last publish before the snapshot function ran; 0: none
	Process uint64 // the run of the module's process; a later one has a higher number, never 0

	charge *charge // of Data
	frame  []byte  // in place of Data, once the hub has it
}

// Snapshot asks a module for the state of one channel. ctx ends after 10 s or when the hub stops, and
// Snapshot returns soon afterwards. It is called from one goroutine at a time. An error with a Code is the
// one that waiting readers are answered with; any other, and a panic, is ErrHandlerFailed.
type Snapshot func(ctx context.Context) (State, error)

// Hubs are all the hubs of this process, and a supervisor.Service. All methods but Serve are safe for
// concurrent use and at any time.
type Hubs struct {
	log     *zap.Logger
	link    *Link
	share   time.Duration
	sockets *sockets
	ready   chan struct{}
	once    sync.Once // closes ready

	mu      sync.RWMutex
	hubs    map[name]*Hub
	serving bool // Serve was called: it takes hubs from opened
	opened  chan *Hub
}

// name is a hub's.
type name struct{ module, channel string }

// New makes a set without hubs. link may be nil: then a hub knows its own process alone. A link serves one
// set.
func New(log *zap.Logger, link *Link) *Hubs {
	h := &Hubs{log: log, link: link, share: shareFor, sockets: newSockets(), ready: make(chan struct{}),
		hubs: make(map[name]*Hub), opened: make(chan *Hub)}
	if link != nil {
		link.hubs = h
	}
	return h
}

// Unshared makes every reader that comes after a snapshot was made wait for a new one, as the tests of a
// module want it. It is called before the first Open.
func (h *Hubs) Unshared() { h.share = 0 }

// Open makes the hub of a channel that a module registered, or returns the one there is. ctx bounds the
// wait until it serves; before Serve is called nobody waits. The names are manifest-checked: letters,
// digits, hyphens, and dots in a channel's.
func (h *Hubs) Open(
	ctx context.Context, module, channel string, snapshot Snapshot, options ...Option,
) (*Hub, error) {
	return h.open(ctx, newHub(name{module, channel}, snapshot, h), options)
}

// OpenLatest is Open for a channel of newest values, which takes PublishLatest alone.
func (h *Hubs) OpenLatest(
	ctx context.Context, module, channel string, snapshot Snapshot, options ...Option,
) (*Hub, error) {
	hub := newHub(name{module, channel}, snapshot, h)
	hub.latest = newLatest()
	return h.open(ctx, hub, options)
}

func (h *Hubs) open(ctx context.Context, fresh *Hub, options []Option) (*Hub, error) {
	for _, option := range options {
		option(fresh)
	}
	hub, opened, serving := h.add(fresh)
	if !serving {
		return hub, nil // Serve will find it
	}
	if opened {
		select {
		case h.opened <- hub:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case <-hub.Ready():
		return hub, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *Hubs) add(fresh *Hub) (hub *Hub, added, serving bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if hub, exists := h.hubs[fresh.name]; exists {
		return hub, false, h.serving
	}
	h.hubs[fresh.name] = fresh
	if h.link != nil {
		h.link.follow(fresh)
	}
	return fresh, true, h.serving
}

// Hub returns an open hub.
func (h *Hubs) Hub(module, channel string) (hub *Hub, exists bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	hub, exists = h.hubs[name{module, channel}]
	return hub, exists
}

// Publish is Hub.Publish by name; ErrChannelUnknown when no such hub is open.
func (h *Hubs) Publish(module, channel string, process, number uint64, data []byte) error {
	hub, exists := h.Hub(module, channel)
	if !exists {
		return ErrChannelUnknown
	}
	return hub.Publish(process, number, data)
}

// PublishLatest is Hub.PublishLatest by name; ErrChannelUnknown when no such hub is open.
func (h *Hubs) PublishLatest(module, channel string, process, number uint64, key string, data []byte) error {
	hub, exists := h.Hub(module, channel)
	if !exists {
		return ErrChannelUnknown
	}
	return hub.PublishLatest(process, number, key, data)
}

// Ended tells all hubs of a module that a run of its process is over: every reader is told to reconnect.
// What that process still has under way is dropped. It never blocks.
func (h *Hubs) Ended(module string, process uint64) {
	for _, hub := range h.all() {
		if hub.name.module == module {
			hub.inbox.put(ended(process))
		}
	}
}

// Drain tells every reader to reconnect and refuses new ones with ErrUnavailable; publishes go on to other
// processes. The streams end within the grace of 5 s. It is for a stop: a hub that crashes afterwards or is
// opened then does not know of it. It never blocks.
func (h *Hubs) Drain() {
	for _, hub := range h.all() {
		hub.Drain()
	}
}

func (h *Hubs) all() []*Hub {
	h.mu.RLock()
	defer h.mu.RUnlock()
	hubs := make([]*Hub, 0, len(h.hubs))
	for _, hub := range h.hubs {
		hubs = append(hubs, hub)
	}
	return hubs
}

// grace is how long a stream's end may take until its reader is cut.
const grace = 5 * time.Second
