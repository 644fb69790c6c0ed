// Package realtime implements the event streams of modules: one hub for each (module, channel), the readers
// of its stream, and the optional backplane that carries updates between processes.
//
// A hub is an actor. A reader is registered before its snapshot is requested, waits in the hub for the
// snapshot, and is live from the snapshot's position on:
//
//	Stream → waiting ── snapshot came → live ─┬─ cut: mailbox full, socket blocked, client left
//	             └── refused: a code,         └─ reconnect: after 4 to 5 min, at a stop, when the
//	                 no headers                  process ends, after a lost update
//
// Why no update is lost or sent twice. A hub orders its module's publishes by their numbers. From the moment
// it requests a snapshot, it keeps a log of the updates that it has released. The module reads the number n
// before it makes the snapshot, so an update with a number above n reaches the hub after the request: it is
// in the log or still to come. When the snapshot arrives, every reader that waits, even one that registered
// after the request, gets the snapshot, the log above n, and all later updates above n. The same holds for a
// reader that comes within 2 s of the request, if the log still contains everything that was released since:
// see snapshots.
//
// Updates of another process have numbers of another module process, which are unrelated to n. A reader gets
// those that were released here since its snapshot was requested: earlier ones were committed before the
// snapshot began. So it may get an update that the snapshot already contains, but never miss one. See
// peers.go for how a hub notices that it has missed one.
//
// On a LatestChannel neither a slow reader nor a burst ends a stream: for each key only the newest value
// waits anywhere. Waiting values are sent in the order of their publishes.
//
// How an event reaches its readers. The hub frames it once (frames.go) and appends it to its log (log.go).
// Every reader's mailbox is the part of the log that the reader has not taken. When its snapshot is there, a
// stream takes its connection from net/http. From then on it is a place in the log and a socket, without a
// goroutine: shards write new entries of the log to the sockets (shard.go), a watch reports which sockets
// have room again and whose client has disconnected (watch_linux.go), and a sweep checks heartbeats and
// deadlines (sweep.go). If there is no socket or no epoll, the stream's own goroutine reads the log
// (response.go).
//
// A stream's ids count on from its snapshot's. That is the number of updates that the hub has released in the
// run of the module's process; without other processes, it is the publish number.
package realtime

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/deadlines"
)

// Limits in bytes and events.
const (
	MaxSnapshot = 1 << 20
	MaxUpdate   = 64 << 10

	mailboxEvents = 256
	mailboxBytes  = 1 << 20
)

// State is a channel's state, as a module's process returned it.
type State struct {
	Data    []byte // JSON, at most 1 MiB when compact; the hub's from now on
	Number  uint64 // of the last publish before the snapshot function ran; 0: none
	Process uint64 // the run of the module's process; a later one has a higher number, never 0

	charge *charge // of Data
	frame  []byte  // replaces Data when the hub has framed it
}

// Snapshot requests the state of one channel from a module. ctx ends after 10 s or when the hub stops, and
// Snapshot must return soon afterwards. Only one call is made at a time. An error with a Code refuses the
// waiting readers with it; any other error, and a panic, is ErrHandlerFailed.
type Snapshot func(ctx context.Context) (State, error)

// Hubs holds all hubs of this process and is a supervisor.Service. All methods but Serve may be called
// concurrently and at any time.
type Hubs struct {
	log     *zap.Logger
	link    *Link
	share   time.Duration
	sockets *sockets
	ready   chan struct{}
	once    sync.Once // closes ready

	mu      sync.RWMutex
	hubs    map[name]*Hub
	serving bool // Serve was called and receives hubs from opened
	opened  chan *Hub
}

// name is the name of a hub.
type name struct{ module, channel string }

// New returns Hubs without a hub. link may be nil: then there are no other processes. A link serves one Hubs.
func New(log *zap.Logger, link *Link) *Hubs {
	h := &Hubs{log: log, link: link, share: shareFor, sockets: newSockets(), ready: make(chan struct{}),
		hubs: make(map[name]*Hub), opened: make(chan *Hub)}
	if link != nil {
		link.hubs = h
	}
	return h
}

// Unshared makes every reader wait for a snapshot that was requested after it came. It is for tests of
// modules. It must be called before the first Open.
func (h *Hubs) Unshared() { h.share = 0 }

// Open returns the hub of a channel that a module registered, and creates it if there is none. ctx bounds the
// wait until the hub serves; before Serve is called Open does not wait. The names are valid names of a
// manifest: letters, digits, hyphens, and in a channel's name dots.
func (h *Hubs) Open(
	ctx context.Context, module, channel string, snapshot Snapshot, options ...Option,
) (*Hub, error) {
	return h.open(ctx, newHub(name{module, channel}, snapshot, h), options)
}

// OpenLatest is Open for a LatestChannel, which accepts only PublishLatest.
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
		return hub, nil // Serve will start it
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

// Ended notifies all hubs of a module that a run of its process has ended. They disconnect every reader, and
// drop all later updates of that run. Ended never blocks.
func (h *Hubs) Ended(module string, process uint64) {
	for _, hub := range h.all() {
		if hub.name.module == module {
			hub.inbox.put(ended(process))
		}
	}
}

// Drain makes every reader reconnect and refuses new ones with ErrUnavailable; publishes are still sent to
// other processes. The streams end within the grace of 5 s. It is for the platform's stop: a hub that crashes
// or is opened afterwards does not drain. Drain never blocks.
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

// grace is how long the end of a stream may take before its reader is disconnected.
const grace = deadlines.Hubs
