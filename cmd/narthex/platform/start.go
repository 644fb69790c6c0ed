package platform

import (
	"context"
	"errors"
	"net"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/modulehost/decisions/displays"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/modulehost/decisions/linkpage"
	"github.com/narthex-platform/narthex/modulehost/decisions/navigation"
	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/modulehost/schedule"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/dashboard"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/expiry"
	"github.com/narthex-platform/narthex/services/feeds"
	"github.com/narthex-platform/narthex/services/health"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/services/ratelimit"
	"github.com/narthex-platform/narthex/services/secondfactor"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/supervisor"
	"github.com/narthex-platform/narthex/web"
)

// Start runs the nine steps of a start (docs/architecture.md). If a step fails, everything that runs already
// is stopped in reverse order; the listener is never bound then.
func (s *Server) Start(ctx context.Context) error {
	began := time.Now()
	if err := s.run(ctx, append(s.stepsToModules(), s.buildHTTP, s.listen)); err != nil {
		return err
	}
	s.logReady(time.Since(began))
	return nil
}

// run runs the steps of a start, and stops everything if one fails.
func (s *Server) run(ctx context.Context, steps []func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, step := range steps {
		if err := step(ctx); err != nil {
			cancel()
			s.checking.Wait() // with its session, before the pool ends
			return errors.Join(err, s.stop(s.tree.Rollback))
		}
	}
	return nil
}

// stepsToModules are the steps up to the one that starts the modules.
func (s *Server) stepsToModules() []func(context.Context) error {
	return []func(context.Context) error{
		s.discoverModules,
		s.openPool,
		s.buildRuntimeServices,
		s.buildIdentity,
		s.readPages,
		s.resolveEligibility,
		s.startModules,
	}
}

// logReady logs what runs: how many modules are in which state, and the port, which the operating system may
// have chosen.
func (s *Server) logReady(after time.Duration) {
	states := make(map[catalog.RuntimeState]int)
	for _, module := range s.catalog.Modules {
		states[s.started.Outcome(module.Manifest.ID).State]++
	}
	fields := []zap.Field{
		zap.String("version", abi.PlatformVersion),
		zap.String("topology", s.Settings.Identity.Topology()),
		zap.Int("modules", states[catalog.Running]),
		zap.Int("disabled", states[catalog.Disabled]),
		zap.Int("blocked", states[catalog.Blocked]),
		zap.Bool("cgroups", s.cgroups != nil), // whether modules have cgroups of their own
		zap.Duration("after", after),
	}
	if address, ok := s.listener.Addr().(*net.TCPAddr); ok {
		fields = append(fields, zap.Int("port", address.Port))
	}
	s.log.Info("ready", fields...)
}

// discoverModules is step 1: it reads every manifest once and builds the immutable permission registry.
func (s *Server) discoverModules(context.Context) (err error) {
	if s.catalog, err = InstalledModules(s.Settings); err != nil {
		return err
	}
	s.Registry, err = ComposeRegistry(s.catalog)
	return err
}

// openPool is step 2: the shared pool, and its first connection in the background.
func (s *Server) openPool(ctx context.Context) (err error) {
	if err := database.CheckConnections(s.Settings.Database, len(MigrationLines(s.catalog))); err != nil {
		return err
	}
	if s.database, err = database.Open(s.Settings.Database); err != nil {
		return err
	}
	if err := s.tree.Start(ctx,
		supervisor.Child{Service: s.database, OnCrash: supervisor.EndProcess}); err != nil {
		return err
	}
	s.house = house.New(house.NewStore(s.database.Pool()), s.log)
	s.checkInBackground(ctx)
	return nil
}

// checkInBackground tests whether server and schema can be used, beside the steps that need no database,
// because a new session takes a fifth of a start, mostly in the server.
func (s *Server) checkInBackground(ctx context.Context) {
	result := make(chan error, 1)
	s.checked = result
	s.checking.Go(func() {
		err := s.database.Check(ctx)
		if err == nil {
			err = migrations.Check(ctx, s.database.Pool(), MigrationLines(s.catalog))
		}
		result <- err
	})
}

// buildRuntimeServices is step 3: the services through which the others use the pool.
func (s *Server) buildRuntimeServices(ctx context.Context) (err error) {
	if s.Mail == nil {
		if s.Mail, err = mail.New(s.Settings.Mail); err != nil {
			return environment.ErrSMTP
		}
	}
	s.health = health.New(s.database.Ping, s.log)
	s.limiter = ratelimit.New()
	s.mails = mail.NewCounter(s.Mail)
	s.outbox = mail.NewOutbox(s.mails, s.log)
	return s.tree.Start(ctx,
		supervisor.Child{Service: s.health},
		supervisor.Child{Service: s.limiter},
		supervisor.Child{Service: s.outbox,
			StopWithin: 40 * time.Second}) // an email in progress, the queue, a margin
}

// buildIdentity is step 4: people and devices, their permissions, and the deletion of their expired rows.
func (s *Server) buildIdentity(ctx context.Context) (err error) {
	pool := s.database.Pool()
	accounts, screens := identity.NewStore(pool), devices.NewStore(pool)
	s.emails = emails.New(s.Settings.Identity.Dashboard, s.house)
	s.identity, err = identity.New(identity.Config{
		Store:    accounts,
		Settings: s.Settings.Identity,
		Limiter:  s.limiter,
		Outbox:   s.outbox,
		Emails:   s.emails,
		Log:      s.log,
	})
	if err != nil {
		return err
	}
	directory := people.NewStore(pool)
	s.activity = activity.New(activity.NewStore(pool), directory)
	s.devices, err = devices.New(devices.Config{
		Store:    screens,
		Displays: s,
		Limiter:  s.limiter,
		Settings: s.Settings.Identity,
		Log:      s.log,
	})
	if err != nil {
		return err
	}
	guests := links.NewStore(pool)
	s.links, err = links.New(links.Config{
		Store: guests, Limiter: s.limiter, Origin: s.Settings.Identity.BaseURL,
	})
	if err != nil {
		return err
	}
	s.Authorization = authorization.New(s.Registry, authorization.NewStore(pool), s.devices, s.links)
	s.feeds, err = feeds.New(feeds.Config{
		Store:      feeds.NewStore(pool, guests),
		Authorizer: s.Authorization,
		Limiter:    s.limiter,
		Restricted: func(id string) bool { return s.Registry.Baseline(id) == authorization.Restricted },
		BaseURL:    s.Settings.Identity.BaseURL,
		Log:        s.log,
	})
	if err != nil {
		return err
	}
	s.secondFactor, err = secondfactor.New(secondfactor.Config{
		Store:     secondfactor.NewStore(pool),
		Sessions:  s.identity,
		Accounts:  accounts,
		Outbox:    s.outbox,
		Emails:    s.emails,
		House:     s.house,
		Dashboard: s.Settings.Identity.Dashboard,
		Log:       s.log,
	})
	if err != nil {
		return err
	}
	s.erasures = people.NewErasures(directory, s, s.log)
	s.names = names{directory}
	s.schedules = schedule.New(schedule.NewStore(pool), s, s.log)
	s.people = people.New(people.Config{
		Store:     directory,
		Sessions:  s.identity,
		Accounts:  accounts,
		Grants:    s.Authorization,
		Passwords: s.identity,
		Declared:  s.Registry.Declared,
		Limiter:   s.limiter,
		Outbox:    s.outbox,
		Emails:    s.emails,
		Erased:    s.erasures.Look,
		Exporters: s,
		Log:       s.log,
	})
	return s.tree.Start(ctx, supervisor.Child{Service: s.devices}, supervisor.Child{Service: expiry.New(s.log,
		expiry.Sweep{Name: "sessions", Batch: accounts.SweepSessions},
		expiry.Sweep{Name: "pending sign-ins", Batch: accounts.SweepPending},
		expiry.Sweep{Name: "mailed links", Batch: accounts.SweepLinks},
		expiry.Sweep{Name: "invitations", Batch: directory.SweepInvitations},
		expiry.Sweep{Name: "pairings", Batch: screens.SweepExpired},
		expiry.Sweep{Name: "links of modules", Batch: guests.SweepEnded},
	)})
}

// resolveEligibility is step 6: it reads object storage, the house, the stored decisions and the stored
// configuration, and resolves which modules run with which configuration.
func (s *Server) resolveEligibility(ctx context.Context) (err error) {
	pool := s.database.Pool()
	if err := s.openStorage(); err != nil {
		return err
	}
	if err := <-s.checked; err != nil {
		return causedError{enablement.ErrRead, err}
	}
	if err := s.tree.Start(ctx, supervisor.Child{Service: s.house}); err != nil {
		return err
	}
	s.resolver = NewResolver(s.catalog, s.database, s.Settings, s.secrets)
	found, err := s.resolver.resolve(ctx)
	if err != nil {
		return err
	}
	s.started = found.next
	if s.roles, err = s.database.ModuleRoles(ctx); err != nil {
		return causedError{enablement.ErrRead, err}
	}
	s.eligible = s.started.Running()
	s.enablement = enablement.New(enablement.Config{
		Catalog: s.catalog, Started: s.started, Resolver: withDecisions{s.resolver}, Store: s.resolver.enablement,
		Processes: s, Screens: s.devices,
	})
	s.configuration = configuration.New(configuration.Config{
		Catalog: s.catalog, Started: s.started, Resolver: withDocuments{s.resolver},
		Store:  s.resolver.configuration,
		Secret: s.secrets.supplied, Screens: s.devices,
	})
	s.publication, err = publication.New(publication.Config{Catalog: s.catalog, Started: s.started,
		Screens: s.devices, Log: s.log})
	if err != nil {
		return err
	}
	s.navigation = navigation.New(navigation.Config{Catalog: s.catalog, Inventory: s.publication,
		Store: navigation.NewStore(pool)})
	s.displays, err = displays.New(displays.Config{
		Files: s.displayFiles, Started: s.started, Screens: s.devices, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.linkPage, err = linkpage.New(web.Link(), s.started)
	return err
}

// readPages is step 5: it reads the files of the Dashboard and the displays, while the database is checked.
func (s *Server) readPages(context.Context) (err error) {
	s.dashboard, err = dashboard.New(dashboard.Config{
		Build: web.Dashboard(), APIOrigin: s.Settings.Identity.BaseURL, Development: s.Development,
	})
	if err != nil {
		return err
	}
	s.displayFiles, err = displays.Read(web.Display())
	return err
}

// openStorage creates the storage provider without opening a connection.
func (s *Server) openStorage() (err error) {
	if s.Settings.Storage.Endpoint != "" && !s.rehearsing {
		if s.storage, err = storage.New(s.Settings.Storage); err != nil {
			return environment.ErrObjectStorage
		}
	}
	return nil
}
