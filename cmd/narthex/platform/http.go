package platform

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/modulelogs"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/supervisor"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// buildHTTP is step 8: one table of all routes, and its handler.
func (s *Server) buildHTTP(context.Context) error {
	clients, meter := clientaddress.New(s.Settings.ClientAddress), s.newMeter()
	handler, err := httpserver.New(httpserver.Config{
		Routes:         s.Routes(),
		Absent:         s.dashboard.Absent,
		TrustedOrigins: s.trustedOrigins(),
		ClientAddress:  clients,
		Resolver:       s.Resolver(),
		Links:          s.links,
		Authorizer:     s.Authorization,
		Log:            s.log,
		Lines:          s.lines,
		Meter:          meter,
	})
	if err != nil {
		return err
	}
	if s.Around != nil {
		handler = s.Around(handler)
	}
	if s.idle = s.newIdle(); s.idle != nil {
		handler = s.idle.Watch(handler)
	}
	address := net.JoinHostPort(s.Settings.Server.Host, strconv.Itoa(int(s.Settings.Server.Port)))
	s.listener = httpserver.NewListener(httpserver.ListenerConfig{
		Address:   address,
		Inherited: s.Inherited,
		Handler:   handler,
		Proxy:     clients.Trusts,
		Draining:  s.hubs.Drain,
		Meter:     meter,
		Log:       s.log,
	})
	return nil
}

// Routes returns the whole route table.
func (s *Server) Routes() []httpapi.Route {
	routes := slices.Concat(s.health.Routes(), s.identity.Routes(),
		s.identity.AccountRoutes(), s.secondFactor.Routes(), s.people.Routes(),
		s.activity.Routes(), s.house.Routes(), s.Authorization.HouseRoutes(),
		s.Authorization.Routes(), s.devices.Routes(), s.enablement.Routes(), s.configuration.Routes(),
		s.publication.Routes(), s.navigation.Routes(), s.dashboard.Routes(), s.displays.Routes(),
		s.linkPage.Routes(), s.links.Routes())
	var modules []httpapi.Route
	for _, module := range s.modules {
		if module.process != nil {
			modules = append(modules, s.links.Limit(gateway.Routes(gateway.Module{
				ID:       module.Manifest.ID,
				Process:  module.process,
				Calls:    module.facade,
				Memory:   module.memory,
				Load:     module.load,
				HouseRev: s.houseRev,
				Tell:     module.process.Tell,
				Links:    module.Manifest.Link != nil,
			}))...)
			modules = append(modules, s.channelRoutes(module)...)
		}
	}
	return slices.Concat(routes, modules, s.feeds.Routes(modules))
}

// trustedOrigins returns the base URL's origin first.
func (s *Server) trustedOrigins() []environment.Origin {
	return append([]environment.Origin{s.Settings.Identity.BaseURL}, s.Settings.Identity.TrustedOrigins...)
}

// listen is step 9. It makes the platform reachable and then notifies systemd.
func (s *Server) listen(ctx context.Context) error {
	s.health.Started()
	if err := s.tree.Start(ctx, supervisor.Child{
		Service:    s.listener,
		OnCrash:    supervisor.EndProcess,
		StopWithin: deadlines.Drain + 5*time.Second,
	}); err != nil {
		return err
	}
	if s.rehearsing {
		return nil
	}
	if err := errors.Join(s.serveMetrics(ctx), s.serveModuleLogs(ctx)); err != nil {
		return err
	}
	last := []supervisor.Child{{Service: s.tree.Systemd()},
		{Service: s.database.Presence(s.listener.Socket())}, {Service: s.erasures},
		{Service: s.schedules}, {Service: s.compression()}}
	if s.idle != nil {
		last = append(last, supervisor.Child{Service: s.idle})
	}
	return s.tree.Start(ctx, last...)
}

// serveModuleLogs runs last, because the name of the socket's folder contains the port.
func (s *Server) serveModuleLogs(ctx context.Context) error {
	address, ok := s.listener.Addr().(*net.TCPAddr)
	if s.ModuleLogs == nil || !ok {
		return nil
	}
	return s.tree.Start(ctx, supervisor.Child{
		Service: modulelogs.New(s.ModuleLogs(address.Port), s, s.log),
		OnCrash: supervisor.Restart,
	})
}
