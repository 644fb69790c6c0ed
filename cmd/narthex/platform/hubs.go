package platform

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/realtime"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/supervisor"
)

// hubWithin bounds how long a new hub may take until it serves.
const hubWithin = 5 * time.Second

// startHubs lets channels be opened, here and, with a backplane, in all processes of the installation.
func (s *Server) startHubs(ctx context.Context) error {
	link, err := s.newLink(ctx)
	if err != nil {
		return err
	}
	s.hubs, s.backplane = realtime.New(s.log, link), link
	var children []supervisor.Child
	if link != nil {
		children = append(children, supervisor.Child{Service: link})
	}
	return s.tree.Start(ctx, append(children, supervisor.Child{Service: s.hubs})...)
}

// linkKeys is the purpose of the keys that sign what processes tell each other.
const linkKeys = "narthex realtime 1"

// newLink is nil without a server for it.
func (s *Server) newLink(ctx context.Context) (*realtime.Link, error) {
	if len(s.Settings.Realtime.NATS) == 0 {
		return nil, nil
	}
	installation, err := s.database.Installation(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.Settings.Identity.Keys(linkKeys)
	if err != nil {
		return nil, err
	}
	return realtime.NewLink(realtime.LinkConfig{
		Servers: s.Settings.Realtime.NATS, Installation: installation, Keys: keys, Log: s.log,
	}), nil
}

// spareOfStreams is what a module's streams leave of the host's memory for it. The link takes the messages
// of 256 publishes from it, so that it is the hub that refuses one: it counts the number of what nobody
// gets, while a publish that the link refuses leaves a gap, for which every reader would be disconnected.
const spareOfStreams = 256 * realtime.MaxUpdate

// openChannels is done between a module's registration and its start, so that what it publishes while it
// starts is counted.
func (s *Server) openChannels(module *runningModule, channels []*abi.Channel) error {
	ctx, cancel := context.WithTimeout(context.Background(), hubWithin)
	defer cancel()
	charge := realtime.Charge(module.memory.Sharing(spareOfStreams))
	for _, channel := range channels {
		open := s.hubs.Open
		if channel.GetLatest() {
			open = s.hubs.OpenLatest
		}
		if _, err := open(ctx, module.Manifest.ID, channel.GetName(), module.snapshot(channel.GetName()),
			charge); err != nil {
			return err
		}
	}
	return nil
}

// snapshot asks the module's process, and tells which of its runs has answered.
func (m *runningModule) snapshot(channel string) realtime.Snapshot {
	return func(ctx context.Context) (realtime.State, error) {
		number := m.facade.ProcessNumber()
		var response abi.SnapshotResponse
		if err := m.process.Call(ctx, abi.Method_METHOD_SNAPSHOT, &abi.SnapshotRequest{Channel: channel},
			&response); err != nil {
			return realtime.State{}, err
		}
		if m.facade.ProcessNumber() != number { // it is unknown which process responded
			return realtime.State{}, process.ErrUnavailable
		}
		return realtime.State{Data: response.GetData(), Number: response.GetPosition(), Process: number}, nil
	}
}

func (s *Server) channelRoutes(module runningModule) (routes []httpapi.Route) {
	for _, channel := range module.process.Channels() {
		if hub, open := s.hubs.Hub(module.Manifest.ID, channel.GetName()); open {
			routes = append(routes, gateway.ChannelRoute(module.Manifest.ID, channel, hub))
		}
	}
	return routes
}
