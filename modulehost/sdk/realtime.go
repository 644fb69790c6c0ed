package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// Limits of what travels on a channel, in bytes of JSON (contract.md §6).
const (
	MaxSnapshot = 1 << 20
	MaxUpdate   = 64 << 10
)

// Snapshot answers all that a new reader of a channel must know; it is sent as JSON. It reads what is committed, in at most 10 s, and
// serves every reader who comes within 2 s of its beginning, with the updates since: it is nobody's in particular.
type Snapshot func(ctx context.Context) (any, error)

// Channel declares a realtime channel of one or more lower-case words joined by dots, at most 64 characters, read by whoever holds the
// permission, which is one of the manifest's. A module has at most 64. A reader gets the snapshot first and then every update that was
// published after it was begun, in order, once; who reads too slowly is cut off and begins anew.
func (r *Registry) Channel(name, permission string, snapshot Snapshot) {
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
	r.channels.byName[name] = &channel{snapshot: snapshot}
	r.channels.declared = append(r.channels.declared, &abi.Channel{Name: name, Permission: permission})
}

// channels are what a module declared.
type channels struct {
	declared []*abi.Channel
	byName   map[string]*channel
}

// channel counts what this process has published on it.
type channel struct {
	snapshot  Snapshot
	published atomic.Uint64
}

// Realtime publishes updates on the module's channels. Safe for concurrent use.
type Realtime struct {
	client   *link.Client
	channels map[string]*channel
}

// What Publish refuses.
var (
	ErrChannelUnknown = errors.New("the module did not register this channel")
	ErrUpdateTooLarge = errors.New("an update is at most 64 KiB of JSON")
)

// Publish sends value, as JSON, to every reader of a channel. Call it after the commit of what it tells, for a snapshot that is made at
// the same moment must not show less. It waits for no reader, and at most 30 s for the platform. Updates of concurrent calls come in
// some order, the same for all readers. Errors: ErrChannelUnknown, ErrUpdateTooLarge, encoding/json's, or that the platform did not
// take the update.
func (r *Realtime) Publish(name string, value any) error {
	channel, found := r.channels[name]
	if !found {
		return ErrChannelUnknown
	}
	data, err := json.Marshal(value)
	switch {
	case err != nil:
		return err
	case len(data) > MaxUpdate:
		return ErrUpdateTooLarge // before it is numbered: numbers have no gaps
	}
	return call(context.Background(), r.client, abi.Method_METHOD_PUBLISH,
		&abi.PublishRequest{Channel: name, Number: channel.published.Add(1), Data: data}, &abi.PublishResponse{})
}

// snapshot reads the number first: whatever is published from then on follows the snapshot, also if the snapshot shows it already.
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
