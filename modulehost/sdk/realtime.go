package sdk

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Limits of a channel's messages, in bytes of JSON.
const (
	MaxSnapshot = 1 << 20
	MaxUpdate   = 64 << 10
	MaxLatest   = 8 << 10 // a value of a LatestChannel
)

// Limits of the keys of a LatestChannel.
const (
	maxKeys = 128
	maxKey  = 128 // bytes
)

// Snapshot returns the state of a channel for new readers, which is sent as JSON. It reads committed data, in
// at most 10 s. Every reader that connects within 2 s after its beginning gets the same snapshot and the
// updates since then, so a snapshot must not depend on the reader.
type Snapshot func(ctx context.Context) (any, error)

// Channel declares a realtime channel. Its name is one or more lower-case words joined by dots, at most 64
// characters. Its readers need permission, which is one of the manifest's. A module has at most 64 channels.
// A reader gets the snapshot first and then, once and in order, every update that was published after the
// snapshot was begun. A reader that is too slow is disconnected and reconnects with a new snapshot.
func (r *Registry) Channel(name, permission string, snapshot Snapshot) {
	r.channel(name, permission, snapshot, nil)
}

// LatestChannel declares a channel that sends the newest values of up to 128 keys, published with
// PublishLatest. Only the newest value of each key waits for a reader, so neither a slow reader nor a burst
// ends a stream. Use it for values that change often and whose history does not matter, such as a position, a
// level or a counter.
func (r *Registry) LatestChannel(name, permission string, snapshot Snapshot) {
	r.channel(name, permission, snapshot, &publishedKeys{known: make(map[string]struct{})})
}

func (r *Registry) channel(name, permission string, snapshot Snapshot, latest *publishedKeys) {
	if snapshot == nil {
		r.problems = append(r.problems, fmt.Errorf("channel %q has no snapshot", name))
		return
	}
	if _, twice := r.channels.byName[name]; twice {
		r.problems = append(r.problems, fmt.Errorf("channel %q is declared twice", name))
		return
	}
	if r.channels.byName == nil {
		r.channels.byName = make(map[string]*channel)
	}
	r.channels.byName[name] = &channel{snapshot: snapshot, latest: latest}
	r.channels.declared = append(r.channels.declared,
		&abi.Channel{Name: name, Permission: permission, Latest: latest != nil})
}

// channels holds a module's declared channels.
type channels struct {
	declared []*abi.Channel
	byName   map[string]*channel
}

// channel is a declared channel, with the number of updates that this process has published on it.
type channel struct {
	snapshot  Snapshot
	latest    *publishedKeys // nil: not a LatestChannel
	published atomic.Uint64
}

// publishedKeys are the keys of a LatestChannel that this process has published.
type publishedKeys struct {
	mu    sync.Mutex
	known map[string]struct{}
}

func (k *publishedKeys) admit(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.known[key]; !known && (len(k.known) >= maxKeys || key == "" || len(key) > maxKey) {
		return false
	}
	k.known[key] = struct{}{}
	return true
}

// Realtime publishes updates on the module's channels. Safe for concurrent use.
type Realtime struct {
	client   *link.Client
	channels map[string]*channel
}

// The errors of Publish and PublishLatest.
const (
	ErrChannelUnknown = Error("CHANNEL_UNKNOWN") // the module did not register this channel
	// ErrChannelLatest: PublishLatest works only for channels of Registry.LatestChannel, and Publish only for
	// others.
	ErrChannelLatest = Error("CHANNEL_LATEST")
	// ErrChannelKey: a key is 1 to 128 bytes of UTF-8, and a channel has at most 128 of them.
	ErrChannelKey = Error("CHANNEL_KEY_INVALID")
	// ErrUpdateTooLarge: an update is at most 64 KiB of JSON, and a value of a LatestChannel 8 KiB.
	ErrUpdateTooLarge = Error("UPDATE_TOO_LARGE")
)

// Publish sends value, as JSON, to every reader of a channel. Call it after the change was committed:
// otherwise a snapshot made at the same moment could lack the change. Publish does not wait for readers, and
// at most 30 s for the platform. The order of concurrent updates is undefined, but the same for all readers.
// Errors: ErrChannelUnknown, ErrChannelLatest, ErrUpdateTooLarge, an error of encoding the value, or one of
// any call.
func (r *Realtime) Publish(name string, value any) error {
	channel, data, err := r.prepare(name, value, false)
	switch {
	case err != nil:
		return err
	case len(data) > MaxUpdate:
		// checked before the update gets a number, because numbers have no gaps
		return tooLarge(name, len(data), MaxUpdate)
	}
	return r.publish(channel, &abi.PublishRequest{Channel: name, Data: data})
}

// PublishLatest is Publish for a LatestChannel: value replaces a value of key (1 to 128 bytes) that was not
// yet sent to a reader. A reader receives only value, so value should name its key when the channel has
// several. Errors: those of Publish, and ErrChannelKey.
func (r *Realtime) PublishLatest(name, key string, value any) error {
	channel, data, err := r.prepare(name, value, true)
	switch {
	case err != nil:
		return err
	case len(data) > MaxLatest:
		return tooLarge(name, len(data), MaxLatest)
	case !utf8.ValidString(key) || !channel.latest.admit(key):
		return ErrChannelKey
	}
	return r.publish(channel, &abi.PublishRequest{Channel: name, Key: key, Data: data})
}

func tooLarge(channel string, bytes, most int) error {
	return &mistake{ErrUpdateTooLarge, fmt.Sprintf("an update of channel %s has %d bytes of JSON, and at most "+
		"%d are sent; publish what has changed, or only a rev, and let pages ask for the rest",
		channel, bytes, most)}
}

func (r *Realtime) prepare(name string, value any, latest bool) (*channel, []byte, error) {
	channel, found := r.channels[name]
	switch {
	case !found:
		return nil, nil, notAmong(slices.Sorted(maps.Keys(r.channels)), name, ErrChannelUnknown,
			"the module registers no channel", "declare it with Registry.Channel")
	case latest != (channel.latest != nil):
		return nil, nil, ErrChannelLatest
	}
	data, err := encode(value)
	return channel, data, err
}

func (r *Realtime) publish(channel *channel, request *abi.PublishRequest) error {
	request.Number = channel.published.Add(1)
	return call(context.Background(), r.client, abi.Method_METHOD_PUBLISH, request, &abi.PublishResponse{})
}

// snapshot reads the number of the last update before it calls the handler. Every later update is sent after
// the snapshot, even if the snapshot already contains its change.
func (l *moduleServer) snapshot(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.SnapshotRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	channel, found := l.registry.channels.byName[request.GetChannel()]
	if !found {
		return nil, ErrChannelUnknown
	}
	position := channel.published.Load()
	value, err := channel.snapshot(ctx)
	var data []byte
	if err == nil {
		data, err = encode(value)
	}
	if err == nil && len(data) > MaxSnapshot {
		err = fmt.Errorf("its JSON has %d bytes, and a snapshot at most %d; put less into it", len(data),
			MaxSnapshot)
	}
	if err != nil {
		reportError("snapshot of channel "+request.GetChannel(), err)
		return nil, err
	}
	return &abi.SnapshotResponse{Position: position, Data: data}, nil
}
