// Package platform composes the running platform out of its services: the order of a start and a stop, the
// route table, the modules' processes, and what is reported of a failure. It is the one place that knows
// all of them.
package platform

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/realtime"
	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/configuration"
	"github.com/narthex-platform/narthex/services/dashboard"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/displays"
	"github.com/narthex-platform/narthex/services/enablement"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/health"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/loglimit"
	"github.com/narthex-platform/narthex/services/metrics"
	"github.com/narthex-platform/narthex/services/navigation"
	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/services/ratelimit"
	"github.com/narthex-platform/narthex/services/schedule"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/supervisor"
)

// Server is one running platform. start.go fills it, step by step, in the fixed order of a start.
type Server struct {
	Settings    environment.Settings
	Inherited   net.Listener // in place of the configured address; nil: none
	Mail        mail.Sender  // nil: the configured mail server
	secrets     Secrets      // of the modules
	Development bool         // the page shows module authors what their modules throw
	// ModuleLogs is the folder for the socket of modules:logs, by the port that is listened on; nil: none is
	// made.
	ModuleLogs func(port int) string
	// Around puts a developer's handler around the whole platform's; nil: there is none.
	Around func(http.Handler) http.Handler
	// ModuleOutput gets what a module's process writes, for a developer's terminal; nil: nobody does.
	ModuleOutput func(moduleID string) io.Writer
	// rehearsing: it runs beside the installation, on a copy of its database. Of what it does nothing leaves the
	// copy: buckets are in memory, and nothing is done that nobody asks for. See Rehearse.
	rehearsing bool
	log        *zap.Logger
	lines      *loglimit.Limiter // of requests that fail in numbers
	tree       *supervisor.Tree

	catalog       *catalog.Catalog
	Registry      *authorization.Registry
	database      *database.Database
	health        *health.Health
	limiter       *ratelimit.Limiter
	outbox        *mail.Outbox
	mails         *mail.Counter // of all, the platform's and the modules'
	identity      *identity.Service
	people        *people.Service
	erasures      *people.Erasures
	names         names
	schedules     *schedule.Service
	activity      *activity.Service
	house         *house.Service
	devices       *devices.Service
	displays      *displays.Service
	Authorization *authorization.Service
	storage       *storage.Provider // nil: none is configured
	resolver      *resolver
	started       catalog.Resolution // by which this process runs what it runs
	enablement    *enablement.Service
	configuration *configuration.Service
	publication   *publication.Service
	navigation    *navigation.Service
	dashboard     *dashboard.Service
	roles         map[string]database.ModuleRole
	pools         map[string]*database.ModulePool // of the modules to start, by id
	hubs          *realtime.Hubs
	backplane     *realtime.Link   // nil: none is configured
	metrics       *metrics.Metrics // nil: nobody asks for them
	users         *process.Users   // nil: modules share the platform's
	priorities    *process.Priorities
	cgroups       *process.Cgroups  // nil: none were delegated
	eligible      []*catalog.Module // in dependency order
	modules       []runningModule   // the same, started
	listener      *httpserver.Listener
}

// runningModule is a module whose register and start hooks have run. A module without server code has no
// field but the first.
type runningModule struct {
	*catalog.Module
	process *process.Process
	facade  *facade.Facade
	load    *gateway.Load       // its requests
	memory  *hostmemory.Account // what the host itself holds for it
}

func NewServer(settings environment.Settings, supplied Secrets, log *zap.Logger) *Server {
	return &Server{Settings: settings, secrets: supplied, log: log, lines: loglimit.New(log),
		tree: supervisor.New(log)}
}

// Addr is where the server listens, after Start.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Wait blocks until ctx ends or a service without which the process has no use has failed. Then it stops
// everything: not ready, listener closed and drained, modules in reverse, foundation.
func (s *Server) Wait(ctx context.Context) error {
	var failure error
	select {
	case <-ctx.Done():
		s.log.Info("stopping")
	case failure = <-s.tree.Failed():
		s.log.Error("a service failed, stopping")
	}
	s.health.Stopping()
	err := errors.Join(failure, s.stop(s.tree.Stop))
	if err == nil {
		s.log.Info("stopped")
	}
	return err
}

// stop ends what runs, newest first, and then the connections that the modules' calls have left.
func (s *Server) stop(tree func() error) error {
	err := tree()
	s.lines.Close()
	if s.storage != nil {
		s.storage.Close()
	}
	return err
}
