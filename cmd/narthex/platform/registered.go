package platform

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// routesOf returns the routes of a module that runs and has a server.
func (s *Server) routesOf(moduleID string) (routes []*abi.Route, found bool) {
	for _, module := range s.modules {
		if module.Manifest.ID == moduleID && module.process != nil {
			return module.process.Routes(), true
		}
	}
	return nil, false
}

// errRegistered ends the run of a module after its registration.
var errRegistered = errors.New("it has registered")

// registered runs another version of a module until it has registered, with an empty facade, and returns its
// routes.
func (s *Server) registered(ctx context.Context, module *catalog.Module) (routes []*abi.Route, err error) {
	if !module.HasServer() {
		return nil, nil
	}
	id := module.Manifest.ID
	run := process.New(process.Config{
		ModuleID: id, ModuleVersion: module.Manifest.Version.String(),
		Executable: module.ExecutablePath(), Script: module.ServerScriptPath(), Folder: module.Folder,
		Verify:     module.VerifyServer,
		Credential: s.users.Draw(id + " before"), RequireSandbox: s.Settings.Production,
		OnRegister: func(registration *abi.RegisterResponse) error {
			routes = registration.GetRoutes()
			return errRegistered
		},
		Host:   facade.New(facade.Config{ModuleID: id, Log: s.log}),
		Memory: hostmemory.New(hostmemory.Counted), Log: s.log,
	})
	if err := run.Serve(ctx); !errors.Is(err, errRegistered) {
		return nil, err
	}
	return routes, nil
}
