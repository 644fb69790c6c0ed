package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// Limits of what travels on a channel, in bytes of JSON.
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

// Snapshot answers all that a new reader of a channel must know; it is sent as JSON. It reads what is
// committed, in at most 10 s, and serves every reader who comes within 2 s of its beginning, with the
// updates since: it is nobody's in particular.
type Snapshot func(ctx context.Context) (any, error)

// Channel declares a realtime channel of one or more lower-case words joined by dots, at most 64
// characters, read by whoever holds the permission, which is one of the manifest's. A module has at most
// 64. A reader gets the snapshot first and then every update that was published after it was begun, in
// order, once; who reads too slowly is cut off and begins anew.
func (r *Registry) Channel(name, permission string, snapshot Snapshot) {
	r.channel(name, permission, snapshot, nil)
}

// LatestChannel declares a channel of newest values: those of up to 128 keys, published with PublishLatest.
// A reader that is slow, or a burst, costs nobody the stream: of each key only the newest value waits for a
// reader. It is for what changes often and whose past does not matter, as a position, a level or a counter.
func (r *Registry) LatestChannel(name, permission string, snapshot Snapshot) {
	r.channel(name, permission, snapshot, &keys{known: make(map[string]struct{})})
}

func (r *Registry) channel(name, permission string, snapshot Snapshot, latest *keys) {
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

// channels are what a module declared.
type channels struct {
	declared []*abi.Channel
	byName   map[string]*channel
}

// channel counts what this process has published on it.
type channel struct {
	snapshot  Snapshot
	latest    *keys // nil: not a LatestChannel
	published atomic.Uint64
}

// keys are those that this process has published on a LatestChannel.
type keys struct {
	mu    sync.Mutex
	known map[string]struct{}
}

func (k *keys) admit(key string) bool {
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

// What Publish and PublishLatest refuse.
var (
	ErrChannelUnknown = errors.New("the module did not register this channel")
	ErrChannelLatest  = errors.New("PublishLatest is for channels of Registry.LatestChannel, and Publish for " +
		"all others")
	ErrChannelKey     = errors.New("a key is 1 to 128 bytes of UTF-8, and a channel has at most 128 of them")
	ErrUpdateTooLarge = errors.New("an update is at most 64 KiB of JSON, and a value of a LatestChannel 8 KiB")
)

// Publish sends value, as JSON, to every reader of a channel. Call it after the commit of what it tells,
// for a snapshot that is made at the same moment must not show less. It waits for no reader, and at most 30
// s for the platform. Updates of concurrent calls come in some order, the same for all readers. Errors:
// ErrChannelUnknown, ErrChannelLatest, ErrUpdateTooLarge, encoding/json's, or that the platform did not
// take the update.
func (r *Realtime) Publish(name string, value any) error {
	channel, data, err := r.prepare(name, value, false)
	switch {
	case err != nil:
		return err
	case len(data) > MaxUpdate:
		return ErrUpdateTooLarge // before it is numbered: numbers have no gaps
	}
	return r.publish(channel, &abi.PublishRequest{Channel: name, Data: data})
}

// PublishLatest is Publish for a LatestChannel: value is the newest of key, 1 to 128 bytes, and takes the
// place of an older one that a reader has not been sent. A reader is sent value alone, so a value that is
// not the only key's should name its own. Errors: as Publish, and ErrChannelKey.
func (r *Realtime) PublishLatest(name, key string, value any) error {
	channel, data, err := r.prepare(name, value, true)
	switch {
	case err != nil:
		return err
	case len(data) > MaxLatest:
		return ErrUpdateTooLarge
	case !utf8.ValidString(key) || !channel.latest.admit(key):
		return ErrChannelKey
	}
	return r.publish(channel, &abi.PublishRequest{Channel: name, Key: key, Data: data})
}

func (r *Realtime) prepare(name string, value any, latest bool) (*channel, []byte, error) {
	channel, found := r.channels[name]
	switch {
	case !found:
		return nil, nil, ErrChannelUnknown
	case latest != (channel.latest != nil):
		return nil, nil, ErrChannelLatest
	}
	data, err := json.Marshal(value)
	return channel, data, err
}

func (r *Realtime) publish(channel *channel, request *abi.PublishRequest) error {
	request.Number = channel.published.Add(1)
	return call(context.Background(), r.client, abi.Method_METHOD_PUBLISH, request, &abi.PublishResponse{})
}

// snapshot reads the number first: whatever is published from then on follows the snapshot, also if the
// snapshot shows it already.
func (l *life) snapshot(ctx context.Context, payload []byte) (proto.Message, error) {
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
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(value)
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxSnapshot:
		return nil, errors.New("a snapshot is at most 1 MiB of JSON")
	}
	return &abi.SnapshotResponse{Position: position, Data: data}, nil
}
