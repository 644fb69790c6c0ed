package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/realtime"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/supervisor"
)

// hubWithin bounds how long a new hub may take until it serves.
const hubWithin = 5 * time.Second

// startHubs lets channels be opened, here and, with a backplane, in all processes of the installation.
func (s *server) startHubs(ctx context.Context) error {
	var link *realtime.Link
	if s.settings.Realtime.NATS.Reveal() != "" {
		link = realtime.NewLink(realtime.LinkConfig{
			URL: s.settings.Realtime.NATS, Installation: string(s.settings.Identity.BaseURL), Log: s.log,
		})
	}
	s.hubs = realtime.New(s.log, link)
	var children []supervisor.Child
	if link != nil {
		children = append(children, supervisor.Child{Service: link})
	}
	return s.tree.Start(ctx, append(children, supervisor.Child{Service: s.hubs})...)
}

// openChannels is done between a module's registration and its start, so that what it publishes while it starts is counted.
func (s *server) openChannels(module *runningModule, channels []*abi.Channel) error {
	ctx, cancel := context.WithTimeout(context.Background(), hubWithin)
	defer cancel()
	for _, channel := range channels {
		open := s.hubs.Open
		if channel.GetLatest() {
			open = s.hubs.OpenLatest
		}
		if _, err := open(ctx, module.Manifest.ID, channel.GetName(), module.snapshot(channel.GetName())); err != nil {
			return err
		}
	}
	return nil
}

// snapshot asks the module's process, and tells which of its lives has answered.
func (m *runningModule) snapshot(channel string) realtime.Snapshot {
	return func(ctx context.Context) (realtime.State, error) {
		life := m.facade.Life()
		var response abi.SnapshotResponse
		if err := m.process.Call(ctx, abi.Method_METHOD_SNAPSHOT, &abi.SnapshotRequest{Channel: channel}, &response); err != nil {
			return realtime.State{}, err
		}
		if m.facade.Life() != life { // the process that answered is not known
			return realtime.State{}, process.ErrUnavailable
		}
		return realtime.State{Data: response.GetData(), Number: response.GetPosition(), Process: life}, nil
	}
}

func (s *server) channelRoutes(module runningModule) (routes []httpapi.Route) {
	for _, channel := range module.process.Channels() {
		if hub, open := s.hubs.Hub(module.Manifest.ID, channel.GetName()); open {
			routes = append(routes, gateway.ChannelRoute(module.Manifest.ID, channel, hub))
		}
	}
	return routes
}
