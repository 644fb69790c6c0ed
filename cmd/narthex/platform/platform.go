// Package platform composes the running platform from its services: the order of a start and a stop, the
// route table, the modules' processes, and how failures are reported. It is the only package that imports all
// of them.
package platform

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/modulehost/decisions/displays"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/modulehost/decisions/linkpage"
	"github.com/narthex-platform/narthex/modulehost/decisions/navigation"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/modulehost/schedule"
	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/dashboard"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/feeds"
	"github.com/narthex-platform/narthex/services/health"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/idle"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/loglimit"
	"github.com/narthex-platform/narthex/services/metrics"
	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/services/ratelimit"
	"github.com/narthex-platform/narthex/services/secondfactor"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/supervisor"
)

// Server is one running platform. start.go sets its fields step by step, in the fixed order of a start.
type Server struct {
	Settings    environment.Settings
	Inherited   net.Listener // in place of the configured address; nil: none
	Mail        mail.Sender  // nil: the configured mail server
	secrets     Secrets      // of the modules
	Development bool         // the page shows module authors the errors of their modules
	// ModuleLogs returns the folder for the socket of modules:logs, from the port that the server listens on.
	// If it is nil, there is no socket.
	ModuleLogs func(port int) string
	// Around wraps the platform's handler in one for developers; nil: it is not wrapped.
	Around func(http.Handler) http.Handler
	// ModuleOutput returns where the output of a module's process is written, for a developer's terminal;
	// nil: nowhere.
	ModuleOutput func(moduleID string) io.Writer
	// rehearsing means that the server runs beside the installation, on a copy of its database. Its effects
	// stay in the copy: buckets are in memory, and it does nothing without a request. See Rehearse.
	rehearsing bool
	log        *zap.Logger
	lines      *loglimit.Limiter // for requests that fail in large numbers
	tree       *supervisor.Tree

	catalog       *catalog.Catalog
	Registry      *authorization.Registry
	database      *database.Database
	checking      sync.WaitGroup // checkInBackground
	checked       <-chan error   // gets its result
	health        *health.Health
	limiter       *ratelimit.Limiter
	outbox        *mail.Outbox
	mails         *mail.Counter // of the platform and all modules
	emails        *emails.Writer
	identity      *identity.Service
	people        *people.Service
	secondFactor  *secondfactor.Service
	erasures      *people.Erasures
	names         names
	schedules     *schedule.Service
	idle          *idle.Service // nil: the process never ends by itself
	activity      *activity.Service
	house         *house.Service
	devices       *devices.Service
	feeds         *feeds.Service
	links         *links.Service
	displayFiles  *displays.Files
	displays      *displays.Service
	linkPage      *linkpage.Service
	Authorization *authorization.Service
	storage       *storage.Provider // nil: none is configured
	resolver      *resolver
	started       catalog.Resolution // what this process runs
	enablement    *enablement.Service
	configuration *configuration.Service
	publication   *publication.Service
	navigation    *navigation.Service
	dashboard     *dashboard.Service
	roles         map[string]database.ModuleRole
	pools         map[string]*database.ModulePool // of the modules to start, by id
	hubs          *hub.Hubs
	backplane     *backplane.Link  // nil: none is configured
	metrics       *metrics.Metrics // nil: not configured
	users         *process.Users   // nil: modules run as the platform's user
	priorities    *process.Priorities
	cgroups       *process.Cgroups  // nil: none were delegated
	eligible      []*catalog.Module // in dependency order
	modules       []runningModule   // the same, started
	listener      *httpserver.Listener
}

// runningModule is a module whose register and start hooks have run. A module without server code has only
// the first field.
type runningModule struct {
	*catalog.Module
	process *process.Process
	facade  *facade.Facade
	load    *gateway.Load       // of its requests
	memory  *hostmemory.Account // the host's own memory that it uses
}

func NewServer(settings environment.Settings, supplied Secrets, log *zap.Logger) *Server {
	return &Server{Settings: settings, secrets: supplied, log: log, lines: loglimit.New(log),
		tree: supervisor.New(log)}
}

// Addr returns the address that the server listens on. It is valid after Start.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Wait blocks until ctx ends, nobody used the process for long enough, or an essential service fails. Then it
// stops everything: readiness, the listener with its drain, the modules in reverse order, the foundation.
func (s *Server) Wait(ctx context.Context) error {
	var failure error
	select {
	case <-ctx.Done():
		s.log.Info("stopping")
	case <-s.idlePassed():
		s.log.Info("idle, stopping")
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

// stop stops the services, newest first, and then closes the connections that the modules' calls have used.
func (s *Server) stop(tree func() error) error {
	err := tree()
	s.lines.Close()
	if s.storage != nil {
		s.storage.Close()
	}
	return err
}
