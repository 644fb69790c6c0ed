package platform

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/metrics"
	"github.com/narthex-platform/narthex/supervisor"
)

// newMeter returns nil if metrics are not configured: then nothing is counted.
func (s *Server) newMeter() httpserver.Meter {
	if s.Settings.Metrics.Network == "" {
		return nil
	}
	s.metrics = metrics.New(abi.PlatformVersion, httpserver.Causes)
	return s.metrics
}

// serveMetrics runs last, because only then are there figures. An address that is in use fails the start.
func (s *Server) serveMetrics(ctx context.Context) error {
	if s.metrics == nil {
		return nil
	}
	s.metrics.Add(s)
	settings := s.Settings.Metrics
	return s.tree.Start(ctx, supervisor.Child{
		Service: metrics.NewListener(settings.Network, settings.Address, s.metrics),
	})
}

// Figures returns the current figures of all services. See metrics.Source.
func (s *Server) Figures() (f metrics.Figures) {
	listener := s.listener.Figures()
	f.Connections = metrics.Connections{Open: listener.Open, Idle: listener.Idle, Streams: listener.Streams}
	core, modules := s.database.Figures()
	f.CorePool, f.ModulePool = poolFigures(core), poolFigures(modules)
	f.CorePool.Waits, f.CorePool.Waited = s.database.Waited()
	f.Outbox.Queued, f.Outbox.Dropped = s.outbox.Figures()
	f.Mails = make(map[string]int64)
	for result, count := range s.mails.Figures() {
		f.Mails[string(result)] = count
	}
	f.RateLimiter.Keys, f.RateLimiter.Refused = s.limiter.Figures()
	if s.storage != nil {
		f.Storage = new(metrics.Storage)
		f.Storage.Requests, f.Storage.Failures = s.storage.Figures()
	}
	f.Backup = s.lastBackup()
	if s.backplane != nil {
		f.Backplane = &metrics.Backplane{Connected: s.backplane.Connected()}
	}
	for _, hub := range s.hubs.Figures() {
		f.Channels = append(f.Channels, metrics.Channel{
			Module: hub.Module, Name: hub.Channel,
			Readers: hub.Readers, Updates: hub.Updates, Cut: hub.Cut, Overflows: hub.Overflows,
		})
	}
	for _, module := range s.modules {
		if view, runs := s.Process(module.Manifest.ID); runs {
			f.Modules = append(f.Modules, metrics.Module{
				ID: module.Manifest.ID, State: view.State, Starts: view.Starts, CPU: view.CPU,
				Memory: view.Memory, MostOwn: view.MemoryLimit,
				HostMemory: view.HostMemory, MostHost: view.HostMemoryLimit,
				InFlight: view.InFlight, Waiting: view.Waiting,
				Requests: view.Requests, Failures: view.Failures,
			})
		}
	}
	return f
}

// lastBackup returns nil before the first verification, and if the database does not respond in time.
func (s *Server) lastBackup() *metrics.Backup {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	run, err := s.house.LastBackup(ctx)
	if err != nil || run.VerifiedAt.IsZero() {
		return nil
	}
	return &metrics.Backup{VerifiedAt: run.VerifiedAt, Good: run.Verdict == nil}
}

func poolFigures(f database.PoolFigures) metrics.Pool {
	return metrics.Pool{Most: f.Most, Open: f.Open, Idle: f.Idle, Waiting: f.Waiting}
}
