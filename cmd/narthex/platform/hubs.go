package platform

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/supervisor"
)

// hubWithin limits how long a new hub may take until it serves.
const hubWithin = 5 * time.Second

// startHubs allows channels to be opened: in this process and, with a backplane, in all processes of the
// installation.
func (s *Server) startHubs(ctx context.Context) error {
	link, err := s.newLink(ctx)
	if err != nil {
		return err
	}
	s.hubs, s.backplane = hub.New(s.log, link), link
	var children []supervisor.Child
	if link != nil {
		children = append(children, supervisor.Child{Service: link})
	}
	return s.tree.Start(ctx, append(children, supervisor.Child{Service: s.hubs})...)
}

// linkKeys names the purpose of the keys that sign the messages between processes.
const linkKeys = "narthex realtime 1"

// newLink returns nil if no NATS server is configured.
func (s *Server) newLink(ctx context.Context) (*backplane.Link, error) {
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
	return backplane.New(backplane.Config{
		Servers: s.Settings.Realtime.NATS, Installation: installation, Keys: keys, Log: s.log,
	}), nil
}

// spareOfStreams is the part of a module's account of host memory that its streams must leave free. The link
// uses it for the messages of publishes: sixteen in service, and 2.5 MiB that wait. So the hub is the one to
// refuse a publish, and it counts what was refused; a publish refused by the link would leave a gap, for
// which every reader is disconnected.
const spareOfStreams = 8 << 20

// openChannels is called between a module's registration and its start, so that what the module publishes
// while it starts is counted.
func (s *Server) openChannels(module *runningModule, channels []*abi.Channel) error {
	ctx, cancel := context.WithTimeout(context.Background(), hubWithin)
	defer cancel()
	charge := hub.Charge(module.memory.Sharing(spareOfStreams))
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

// snapshot requests a snapshot from the module's process and returns it with the number of the run that
// responded.
func (m *runningModule) snapshot(channel string) hub.Snapshot {
	return func(ctx context.Context) (hub.State, error) {
		number := m.facade.ProcessNumber()
		var response abi.SnapshotResponse
		if err := m.process.Call(ctx, abi.Method_METHOD_SNAPSHOT, &abi.SnapshotRequest{Channel: channel},
			&response); err != nil {
			return hub.State{}, err
		}
		if m.facade.ProcessNumber() != number { // it is unknown which run responded
			return hub.State{}, process.ErrUnavailable
		}
		return hub.State{Data: response.GetData(), Number: response.GetPosition(), Process: number}, nil
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
