package conformance

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/realtime/hub"
)

// stage is a process of the module and the host's side of it, as the platform builds them.
type stage struct {
	trial   *trial
	memory  *hostmemory.Account
	facade  *facade.Facade
	hubs    *hub.Hubs
	process *process.Process
	end     func() // ends the hubs
}

// hubWithin bounds how long a new hub may take until it is ready.
const hubWithin = 5 * time.Second

// newStage starts the hubs, but not the module. wrap may replace the module's host; observe gets each
// registration and the rules that it breaks. Both may be nil.
func (t *trial) newStage(
	wrap func(process.Host) process.Host, observe func(*abi.RegisterResponse, error),
) *stage {
	m := t.module.Manifest
	s := &stage{trial: t, memory: hostmemory.New(hostmemory.Counted), hubs: hub.New(zap.NewNop(), nil)}
	s.hubs.Unshared()
	s.runHubs()
	config := facade.Config{
		ModuleID: m.ID, Secrets: secrets(m), Capabilities: noModules{}, Buckets: buckets(m), Mail: mailTaker{},
		Realtime: s.hubs, House: someHouse, Log: zap.NewNop(),
	}
	if t.database != nil {
		config.Pool = t.database.pool
	}
	if m.People {
		config.People = noPeople{}
	}
	if m.Link != nil {
		config.Links = linkMaker{}
	}
	s.facade = facade.New(config)
	host := process.Host(s.facade)
	if wrap != nil {
		host = wrap(host)
	}
	s.process = process.New(process.Config{
		ModuleID: m.ID, ModuleVersion: m.Version.String(), Executable: t.module.ExecutablePath(),
		Script: t.module.ServerScriptPath(),
		Folder: t.module.Folder, Credential: t.own, Host: host, Log: t.log.logger(), Memory: s.memory,
		Start: &abi.StartRequest{Database: m.Database != nil, Configuration: settings(m),
			Declared: facade.Declared(m)},
		Verify: t.module.VerifyServer, Deadlines: t.options.deadlines,
		OnRegister: func(r *abi.RegisterResponse) error {
			rules := t.rules(r)
			if observe != nil {
				observe(r, rules)
			}
			if rules != nil {
				return rules
			}
			return s.openChannels(r.GetChannels())
		},
	})
	return s
}

func (s *stage) runHubs() {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.hubs.Serve(ctx)
	}()
	<-s.hubs.Ready()
	s.end = func() { cancel(); <-served }
}

// close ends the hubs. The process must have ended before.
func (s *stage) close() { s.end() }

// openChannels is called between the registration and the start, so that updates of the Start hook are
// accepted.
func (s *stage) openChannels(channels []*abi.Channel) error {
	ctx, cancel := context.WithTimeout(context.Background(), hubWithin)
	defer cancel()
	for _, channel := range channels {
		open := s.hubs.Open
		if channel.GetLatest() {
			open = s.hubs.OpenLatest
		}
		if _, err := open(ctx, s.trial.module.Manifest.ID, channel.GetName(),
			s.snapshot(channel.GetName())); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) snapshot(channel string) hub.Snapshot {
	return func(ctx context.Context) (hub.State, error) {
		number := s.facade.ProcessNumber()
		var response abi.SnapshotResponse
		err := s.process.Call(ctx, abi.Method_METHOD_SNAPSHOT, &abi.SnapshotRequest{Channel: channel}, &response)
		if err != nil {
			return hub.State{}, err
		}
		return hub.State{Data: response.GetData(), Number: response.GetPosition(), Process: number}, nil
	}
}

// rules checks a registration by the platform's rules.
func (t *trial) rules(r *abi.RegisterResponse) error {
	m := t.module.Manifest
	permissions := permissionIDs(m)
	return errors.Join(
		gateway.CheckRoutes(permissions, r.GetRoutes()),
		gateway.CheckChannels(permissions, r.GetChannels()),
		facade.CheckCapabilities(m.Provides, r.GetCapabilities()),
	)
}

func permissionIDs(m *manifest.Manifest) []string {
	ids := make([]string, len(m.Permissions))
	for i, p := range m.Permissions {
		ids[i] = p.ID
	}
	return ids
}
