package platform

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/schedule"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/supervisor"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The deadlines of the tree: a module process's own deadlines and a margin, because those expire first and
// have more precise codes.
const (
	startWithin = deadlines.Register + deadlines.Start + deadlines.Stop +
		2*time.Second // a failed start also stops
	stopWithin = deadlines.Stop + deadlines.Terminate + 2*time.Second
)

// startModules is step 7: the hubs, then the eligible modules' processes, level by level, each with its
// register and start hooks.
func (s *Server) startModules(ctx context.Context) error {
	if err := s.openPools(); err != nil {
		return err
	}
	if err := s.startHubs(ctx); err != nil {
		return err
	}
	var err error
	if s.users, err = process.NewUsers(); err != nil {
		return err
	}
	s.cgroups = process.NewCgroups()
	s.priorities = process.NewPriorities(s.log)
	if err := s.tree.Start(ctx, supervisor.Child{Service: s.priorities}); err != nil {
		return err
	}
	for rest := s.eligible; len(rest) > 0; {
		level := rest
		if next := slices.IndexFunc(rest,
			func(m *catalog.Module) bool { return m.Level != rest[0].Level }); next > 0 {
			level = rest[:next]
		}
		rest = rest[len(level):]
		var children []supervisor.Child
		for _, module := range level {
			running, err := s.prepare(module)
			if err != nil {
				return err
			}
			s.modules = append(s.modules, running)
			if running.process != nil {
				children = append(children, moduleChild(running.process))
			}
		}
		if err := s.tree.Start(ctx, children...); err != nil {
			return err
		}
	}
	return nil
}

// openPools gives every module with a database its pool before the first module runs, because each pool has
// one connection reserved in the budget.
func (s *Server) openPools() (err error) {
	s.pools = make(map[string]*database.ModulePool)
	for _, module := range s.eligible {
		role, found := s.roles[module.Manifest.ID]
		if !found || module.Manifest.Database == nil || !module.HasServer() {
			continue
		}
		if s.pools[role.ModuleID], err = s.database.OpenModule(role); err != nil {
			return err
		}
	}
	return nil
}

func moduleChild(service supervisor.Service) supervisor.Child {
	return supervisor.Child{
		Service:      service,
		OnCrash:      supervisor.Restart,
		ReadyWithin:  startWithin,
		ReadyCode:    "MODULE_START_TIMEOUT",
		StopWithin:   stopWithin,
		StopCode:     "MODULE_STOP_TIMEOUT",
		RollbackCode: "MODULE_ROLLBACK_TIMEOUT",
	}
}

// prepare creates a module's process and facade, and starts nothing.
func (s *Server) prepare(module *catalog.Module) (runningModule, error) {
	running := runningModule{Module: module}
	if !module.HasServer() {
		return running, nil
	}
	declared := module.Manifest
	running.memory = hostmemory.New(hostmemory.Counted)
	config := facade.Config{
		ModuleID:     declared.ID,
		Secrets:      s.secrets.of(declared),
		Capabilities: s.capabilitiesOf(module),
		Buckets:      s.bucketsOf(declared),
		Mail:         s.emails.ForModules(s.mails),
		House:        s.houseOfModules,
		Realtime:     s.hubs,
		Log:          s.log,
	}
	config.Pool = s.pools[declared.ID]
	if declared.People {
		config.People = s.names
	}
	if declared.Link != nil {
		config.Links = linksOf{s.links, declared.ID, declared.Link.Permission}
	}
	running.facade, running.load = facade.New(config), new(gateway.Load)
	var output io.Writer
	if s.ModuleOutput != nil {
		output = s.ModuleOutput(declared.ID)
	}
	running.process = process.New(process.Config{
		ModuleID:       declared.ID,
		ModuleVersion:  declared.Version.String(),
		Executable:     module.ExecutablePath(),
		Script:         module.ServerScriptPath(),
		Folder:         module.Folder,
		Credential:     s.users.Draw(declared.ID),
		RequireSandbox: s.Settings.Production,
		Start: &abi.StartRequest{
			Database:      declared.Database != nil,
			Configuration: facade.Settings(declared.Configuration, s.started.Outcome(declared.ID).Configuration),
			Declared:      facade.Declared(declared),
		},
		OnRegister: func(registration *abi.RegisterResponse) error {
			if err := errors.Join(
				gateway.CheckRoutes(permissionIDs(declared), registration.GetRoutes()),
				gateway.CheckChannels(permissionIDs(declared), registration.GetChannels()),
				facade.CheckCapabilities(declared.Provides, registration.GetCapabilities()),
				schedule.Check(registration.GetSchedules()),
			); err != nil {
				return err
			}
			return s.openChannels(&running, registration.GetChannels())
		},
		Verify: module.VerifyServer,
		Output: output,
		Host:   running.facade,
		Memory: running.memory, Priorities: s.priorities, Cgroups: s.cgroups,
		Log: s.log.With(zap.String("module", declared.ID)),
	})
	return running, nil
}

// houseOfModules returns the house as modules get it.
func (s *Server) houseOfModules() facade.House {
	current, rev := s.house.CurrentAt()
	h := facade.House{Language: current.Language, Rev: rev}
	if current.Name != nil {
		h.Name = *current.Name
	}
	if current.TimeZone != nil {
		h.TimeZone = *current.TimeZone
	}
	return h
}

// linksOf are the links of one module.
type linksOf struct {
	service              *links.Service
	moduleID, permission string
}

func (l linksOf) Create(
	ctx context.Context, by, person, subject string, ends time.Time,
) (address string, err error) {
	return l.service.Create(ctx, by, person, l.moduleID, l.permission, subject, ends)
}

func (l linksOf) Revoke(ctx context.Context, by, subject string) error {
	return l.service.Revoke(ctx, by, l.moduleID, subject)
}

func (l linksOf) Assign(ctx context.Context, person, subject string) error {
	return l.service.Assign(ctx, person, l.moduleID, subject)
}

func (s *Server) houseRev() int64 {
	_, rev := s.house.CurrentAt()
	return rev
}

// bucketsOf returns the buckets of a module. Without object storage a module that declares buckets does not
// run.
func (s *Server) bucketsOf(m *manifest.Manifest) map[string]facade.Bucket {
	buckets := make(map[string]facade.Bucket, len(m.Buckets))
	for _, id := range m.Buckets {
		if s.rehearsing {
			buckets[id] = storage.NewMemory()
		} else {
			buckets[id] = s.storage.Bucket(m.ID, id)
		}
	}
	return buckets
}

// Process returns the state of a module's process, for the people who manage modules. See
// enablement.Processes.
func (s *Server) Process(moduleID string) (enablement.Process, bool) {
	for _, module := range s.modules {
		if module.Manifest.ID != moduleID || module.process == nil {
			continue
		}
		status, load := module.process.Status(), module.load
		view := enablement.Process{
			State: string(status.State), Since: status.Since, Starts: status.Starts,
			Memory: status.Memory, MemoryLimit: status.MemoryLimit,
			CPU: status.CPU,
		}
		view.InFlight, view.Waiting = load.Now()
		view.Requests, view.Failures = load.Total()
		view.HostMemory, _ = module.memory.Bytes()
		view.HostMemoryLimit = hostmemory.Limit
		if end := status.LastEnd; end != nil {
			view.LastEnd = &enablement.ProcessEnd{At: end.At, Kind: string(end.Kind), Code: end.Code}
		}
		return view, true
	}
	return enablement.Process{}, false
}

// Journal returns what a module's process wrote; nil if the module has no process. See modulelogs.Modules.
func (s *Server) Journal(moduleID string) *process.Journal {
	for _, module := range s.modules {
		if module.Manifest.ID == moduleID && module.process != nil {
			return module.process.Journal()
		}
	}
	return nil
}
