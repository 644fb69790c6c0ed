package sdktest

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/schedule"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// Advance moves the clock of the module's schedules (Registry.Every). It makes the runs that become due, one
// after the other, by the platform's own rules, including runs that are repeated after a failure. It returns
// their errors. Only schedules are affected: time.Now, now() in SQL and deadlines are not.
func (m *Module) Advance(by time.Duration) error {
	m.tb.Helper()
	if m.schedules == nil {
		m.tb.Fatal("sdktest: the module declared no schedule")
	}
	pool := m.db.Pool(m.tb)
	for {
		var pause float64
		err := pool.QueryRow(m.tb.Context(), `
			SELECT greatest(0, extract(epoch FROM min(greatest(due_at, free_at)) - now()))
			FROM core.module_schedule`).Scan(&pause)
		if err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
		next := time.Duration(pause*1e6+1) * time.Microsecond
		step := min(next, by)
		m.db.Exec(m.tb, `
			UPDATE core.module_schedule
			SET due_at = due_at - make_interval(secs => $1), free_at = free_at - make_interval(secs => $1)`,
			step.Seconds())
		if by -= step; next > step {
			return m.scheduled.failures()
		}
		if err := m.schedules.RunDue(m.tb.Context()); err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
	}
}

// NothingFor returns for how long the schedule has nothing to do, as its last run said (sdk.NothingFor); 0 if
// it said nothing or has not run.
func (m *Module) NothingFor(schedule string) time.Duration {
	m.scheduled.mu.Lock()
	defer m.scheduled.mu.Unlock()
	return m.scheduled.rests[schedule]
}

// openSchedules stores the module's schedules as its first start on a platform would.
func (m *Module) openSchedules(registered []*abi.Schedule) {
	m.tb.Helper()
	if len(registered) == 0 {
		return
	}
	if m.db == nil {
		m.db = databasetest.New(m.tb)
	}
	m.scheduled = &scheduled{Module: m, rests: make(map[string]time.Duration)}
	m.schedules = schedule.New(schedule.NewStore(m.db.Pool(m.tb)), m.scheduled, zap.NewNop())
	if err := m.schedules.RunDue(m.tb.Context()); err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
}

// scheduled is the module with the interface that the platform's schedules use.
type scheduled struct {
	*Module
	mu     sync.Mutex
	failed []error
	rests  map[string]time.Duration // of each schedule's last run
}

func (s *scheduled) failures() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(s.failed...)
	s.failed = nil
	return err
}

// Scheduled returns the registered schedules.
func (s *scheduled) Scheduled() (declared []schedule.Declared) {
	for _, one := range s.registered.GetSchedules() {
		declared = append(declared, schedule.Declared{
			ModuleID: s.manifest.ID,
			Name:     one.GetName(),
			Interval: time.Duration(one.GetIntervalSeconds()) * time.Second,
		})
	}
	return declared
}

// Run makes one run.
func (s *scheduled) Run(ctx context.Context, _, name string) (rest time.Duration, err error) {
	var response abi.RunResponse
	err = s.callContext(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name}, &response)
	rest = time.Duration(response.GetNothingForSeconds()) * time.Second
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = append(s.failed, errors.New("the run "+name+" failed: "+err.Error()))
	}
	s.rests[name] = rest
	return rest, err
}

// Running asks the module whether the schedule's run is in progress.
func (s *scheduled) Running(ctx context.Context, _, name string) (bool, error) {
	var response abi.RunResponse
	err := s.callContext(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name, AskOnly: true}, &response)
	return response.GetRunning(), err
}
