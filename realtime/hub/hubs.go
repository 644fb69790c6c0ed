package hub

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/realtime/update"
)

// State is a channel's state, as a module's process returned it.
type State struct {
	Data    []byte // JSON, at most 1 MiB when compact; the hub's from now on
	Number  uint64 // of the last publish before the snapshot function ran; 0: none
	Process uint64 // the run of the module's process; a later one has a higher number, never 0

	charge *update.Charge // of Data
	frame  []byte         // replaces Data when the hub has framed it
}

// Snapshot requests the state of one channel from a module. ctx ends after 10 s or when the hub stops, and
// Snapshot must return soon afterwards. Only one call is made at a time. An error with a Code refuses the
// waiting readers with it; any other error, and a panic, is ErrHandlerFailed.
type Snapshot func(ctx context.Context) (State, error)

// Hubs holds all hubs of this process and is a supervisor.Service. All methods but Serve may be called
// concurrently and at any time.
type Hubs struct {
	log     *zap.Logger
	link    *backplane.Link
	share   time.Duration
	sockets *stream.Sockets
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
func New(log *zap.Logger, link *backplane.Link) *Hubs {
	return &Hubs{log: log, link: link, share: shareFor, sockets: stream.NewSockets(), ready: make(chan struct{}),
		hubs: make(map[name]*Hub), opened: make(chan *Hub)}
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
		h.link.Follow(channel{fresh})
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
			hub.inbox.Put(ended(process))
		}
	}
}

// Drain makes every reader reconnect and refuses new ones with ErrUnavailable; publishes are still sent to
// other processes. The streams end within 5 s. It is for the platform's stop: a hub that crashes
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
