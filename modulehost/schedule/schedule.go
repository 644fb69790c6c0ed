// Package schedule runs the scheduled work of modules (Registry.Every of the SDK). It decides when a run is
// due, and which of the processes that share a database makes it. All times are the database's.
//
// A row of core.module_schedule is claimed for a run, and again every few seconds while the module still
// works on it, so two processes never run it at the same time. The claim of a process that dies expires after
// 45 s; then another process makes the run. Several runs that were missed while no process was running are
// replaced by a single one.
package schedule

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	claimFor  = 45 * time.Second // longer than a run may take
	askWithin = 5 * time.Second
)

// pauses are the intervals and timeouts of a Service.
type pauses struct {
	look  time.Duration
	run   time.Duration // for a run
	renew time.Duration // between two renewals of a claim
	stop  time.Duration // for a run to end at a shutdown
}

// Declared is one schedule of a module that runs in this process.
type Declared struct {
	ModuleID string
	Name     string
	Interval time.Duration
}

// Modules are the modules that this process runs.
type Modules interface {
	// Scheduled returns the schedules of the modules that can be called now.
	Scheduled() []Declared
	// Run makes one run, and returns for how long the schedule has nothing to do; 0: that is not known. After an
	// error the module may still be working on it.
	Run(ctx context.Context, moduleID, name string) (rest time.Duration, err error)
	// Running reports whether the module is working on a run. Without a process it returns false.
	Running(ctx context.Context, moduleID, name string) (bool, error)
}

// Service makes runs when they are due. Safe for concurrent use, but only one Serve may run at a time.
type Service struct {
	store   *Store
	modules Modules
	log     *zap.Logger
	pauses  pauses
	wake    chan struct{}
	ready   chan struct{}
}

// New makes a Service. It starts no goroutine.
func New(store *Store, modules Modules, log *zap.Logger) *Service {
	ready := make(chan struct{})
	close(ready)
	return &Service{
		store: store, modules: modules, log: log, wake: make(chan struct{}, 1), ready: ready,
		pauses: pauses{
			look: 10 * time.Second, run: deadlines.Run, renew: 10 * time.Second, stop: 5 * time.Second,
		},
	}
}

// Look makes Serve search for due runs at once. It never blocks.
func (s *Service) Look() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Serve makes runs until ctx ends. Then it cancels the runs in progress, and waits up to 5 s for their end.
func (s *Service) Serve(ctx context.Context) error {
	var runs sync.WaitGroup
	defer runs.Wait()
	next := time.NewTicker(s.pauses.look)
	defer next.Stop()
	known := make(map[Declared]bool)
	for failed := false; ; {
		err := s.look(ctx, known, &runs)
		if err != nil && !failed && ctx.Err() == nil {
			s.log.Warn("schedules of modules not read", zap.String("cause", string(store.CauseOf(err))))
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		case <-s.wake:
		}
	}
}

// RunDue makes the runs that are due now, and returns when they have ended. It is for tests of modules.
func (s *Service) RunDue(ctx context.Context) error {
	var runs sync.WaitGroup
	defer runs.Wait()
	return s.look(ctx, make(map[Declared]bool), &runs)
}

// Next returns the time until the next run of this process's modules that has something to do: zero or less
// if it is due. While a run is in progress it is less than a minute. unused is for how long nobody has used
// the process: what an earlier run said of its schedule may no longer be true. some is false if the modules
// have no schedule.
func (s *Service) Next(
	ctx context.Context, unused time.Duration,
) (next time.Duration, some bool, err error) {
	seconds, err := s.store.next(ctx, s.modules.Scheduled(), unused)
	if err != nil || seconds == nil {
		return 0, false, err
	}
	return time.Duration(*seconds * float64(time.Second)), true, nil
}

// Ready is closed from the start, because no other service waits for a run.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "schedules" }

// look starts the runs that are due.
func (s *Service) look(ctx context.Context, known map[Declared]bool, runs *sync.WaitGroup) error {
	declared := s.modules.Scheduled()
	for _, d := range declared {
		if known[d] {
			continue
		}
		if err := s.store.declare(ctx, d); err != nil {
			return err
		}
		known[d] = true
	}
	due, err := s.store.due(ctx, declared)
	if err != nil {
		return err
	}
	for _, d := range due {
		number, claimed, err := s.store.claim(ctx, d)
		if err != nil {
			return err
		}
		if claimed {
			runs.Go(func() { s.run(ctx, d, number) })
		}
	}
	return nil
}

// run makes one run and stores the result. If that fails, the claim expires by itself.
func (s *Service) run(ctx context.Context, d Declared, number int64) {
	within, cancel := context.WithTimeout(ctx, s.pauses.run)
	rest, err := s.modules.Run(within, d.ModuleID, d.Name)
	cancel()
	ended := err == nil || s.awaitEnd(ctx, d, number)
	switch {
	case err == nil:
		err = s.store.complete(ctx, d, number, rest)
	case ctx.Err() != nil && ended:
		err = s.store.releaseClaim(ctx, d, number)
	case ctx.Err() == nil:
		s.log.Warn("scheduled run of a module failed", zap.String("module", d.ModuleID),
			zap.String("schedule", d.Name))
		err = s.store.fail(ctx, d, number)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("result of a scheduled run not stored", zap.String("module", d.ModuleID),
			zap.String("cause", string(store.CauseOf(err))))
	}
}

// awaitEnd renews the claim while the module still works on a failed run, because it ignores the end of its
// context. It reports whether the run has ended. At a shutdown it waits only pauses.stop.
func (s *Service) awaitEnd(ctx context.Context, d Declared, number int64) bool {
	stopping := ctx.Done()
	var last <-chan time.Time
	for {
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWithin)
		running, err := s.modules.Running(asking, d.ModuleID, d.Name)
		cancel()
		if err == nil && !running {
			return true
		}
		_ = s.store.renew(ctx, d, number) // while the database is unreachable, no other process can claim it
		pause := s.pauses.renew
		if ctx.Err() != nil {
			pause = 100 * time.Millisecond
		}
		select {
		case <-stopping:
			stopping, last = nil, time.After(s.pauses.stop)
		case <-last:
			return false
		case <-time.After(pause):
		}
	}
}

// The limits of what a module may declare.
const (
	MinInterval  = time.Minute
	MaxInterval  = 30 * 24 * time.Hour
	MaxSchedules = 16
)

var validName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
})

// Check returns an error for schedules that break the rules of Registry.Every. The error names the broken
// rule.
func Check(schedules []*abi.Schedule) error {
	if len(schedules) > MaxSchedules {
		return fmt.Errorf("%d schedules, but a module has at most %d", len(schedules), MaxSchedules)
	}
	known := make(map[string]bool)
	for _, s := range schedules {
		interval := time.Duration(s.GetIntervalSeconds()) * time.Second
		switch {
		case !validName().MatchString(s.GetName()):
			return fmt.Errorf("schedule %q: a name is 1 to 32 of a-z, 0-9 and -, beginning with a letter",
				s.GetName())
		case known[s.GetName()]:
			return fmt.Errorf("schedule %q: it is declared twice", s.GetName())
		case s.GetIntervalSeconds() > uint32(MaxInterval/time.Second), interval < MinInterval:
			return fmt.Errorf("schedule %q: its interval must be 1 minute to 30 days, in whole seconds",
				s.GetName())
		}
		known[s.GetName()] = true
	}
	return nil
}
