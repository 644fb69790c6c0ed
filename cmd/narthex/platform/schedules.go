package platform

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/schedule"
)

// Scheduled returns the schedules of the modules whose process is ready. See schedule.Modules.
func (s *Server) Scheduled() (declared []schedule.Declared) {
	for _, module := range s.modules {
		if module.process == nil || module.process.Status().State != process.Ready {
			continue
		}
		for _, one := range module.process.Schedules() {
			declared = append(declared, schedule.Declared{
				ModuleID: module.Manifest.ID,
				Name:     one.GetName(),
				Interval: time.Duration(one.GetIntervalSeconds()) * time.Second,
			})
		}
	}
	return declared
}

// Run makes a module run one of its schedules. See schedule.Modules.
func (s *Server) Run(ctx context.Context, moduleID, name string) (rest time.Duration, err error) {
	for _, module := range s.modules {
		if module.Manifest.ID == moduleID && module.process != nil {
			return module.process.Run(ctx, name)
		}
	}
	return 0, process.ErrUnavailable
}

// Running reports whether a module is working on a run of a schedule. See schedule.Modules.
func (s *Server) Running(ctx context.Context, moduleID, name string) (bool, error) {
	for _, module := range s.modules {
		if module.Manifest.ID == moduleID && module.process != nil {
			return module.process.Running(ctx, name)
		}
	}
	return false, nil
}
