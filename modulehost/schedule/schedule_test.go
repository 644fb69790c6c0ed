package schedule_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/schedule"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/waittest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

var hourly = schedule.Declared{ModuleID: "rota", Name: "reminders", Interval: time.Hour}

// modules are the modules of one process. All processes share counts.
type modules struct {
	counts *counts
	work   func(ctx context.Context) error
	looks  atomic.Int32

	mu      sync.Mutex
	running int
}

// counts are the numbers of runs in all processes: begun, running now, and the most at the same time.
type counts struct {
	rest           atomic.Int64 // what each run says: how long there is nothing to do
	mu             sync.Mutex
	runs, now, max int
}

func (c *counts) add(delta int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now += delta; delta > 0 {
		c.runs++
		c.max = max(c.max, c.now)
	}
}

func (c *counts) get() (runs, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs, c.max
}

func (m *modules) Scheduled() []schedule.Declared {
	m.looks.Add(1)
	return []schedule.Declared{hourly}
}

// Run returns when ctx ends, like a call to a process: the work may continue.
func (m *modules) Run(ctx context.Context, _, _ string) (rest time.Duration, err error) {
	m.count(1)
	ended := make(chan error, 1)
	go func() {
		defer m.count(-1)
		ended <- m.work(ctx)
	}()
	select {
	case err := <-ended:
		return time.Duration(m.counts.rest.Load()), err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (m *modules) count(delta int) {
	m.counts.add(delta)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running += delta
}

func (m *modules) Running(context.Context, string, string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running > 0, nil
}

// installation is one database and the processes on it.
type installation struct {
	*databasetest.DB
	counts    counts
	processes []*schedule.Service
	looks     []*atomic.Int32 // how often each process has looked for due runs
	stops     []func()
}

func start(t *testing.T, processes int, work func(ctx context.Context) error) *installation {
	t.Helper()
	i := &installation{DB: databasetest.New(t)}
	for range processes {
		m := &modules{counts: &i.counts, work: work}
		s := schedule.New(schedule.NewStore(i.Pool(t)), m, zap.NewNop())
		s.SetPauses(200*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		var served sync.WaitGroup
		served.Go(func() { _ = s.Serve(ctx) })
		stop := func() { cancel(); served.Wait() }
		t.Cleanup(stop)
		i.processes, i.looks, i.stops = append(i.processes, s), append(i.looks, &m.looks), append(i.stops, stop)
	}
	i.await(t, "the schedule is declared", "due_at > now() + interval '59 minutes'")
	return i
}

// await makes every process look for due runs until the only row fulfils a condition.
func (i *installation) await(t *testing.T, what, condition string) {
	t.Helper()
	waittest.Until(t, what+": a row with "+condition, func() bool {
		for _, s := range i.processes {
			s.Look()
		}
		return i.is(t, condition)
	})
}

func (i *installation) is(t *testing.T, condition string) (found bool) {
	t.Helper()
	if err := i.Pool(t).QueryRow(t.Context(), `
		SELECT EXISTS (SELECT FROM core.module_schedule WHERE `+condition+`)`).Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

// forward simulates a later time of the database's clock by moving all stored times back.
func (i *installation) forward(t *testing.T, by string) {
	t.Helper()
	i.Exec(t, `
		UPDATE core.module_schedule
		SET due_at = due_at - $1::interval, free_at = free_at - $1::interval`, by)
}

// haveLooked returns when every process has begun and ended a search for due runs.
func (i *installation) haveLooked(ctx context.Context) error {
	want := make([]int32, len(i.looks))
	for n, looks := range i.looks {
		want[n] = looks.Load() + 2 // the one that begins next has ended when another one begins
	}
	for n, looks := range i.looks {
		for tick := time.Tick(time.Millisecond); looks.Load() < want[n]; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-tick:
			}
		}
	}
	return nil
}

func (i *installation) assertRuns(t *testing.T, after string, want int) {
	t.Helper()
	if runs, most := i.counts.get(); runs != want || most > 1 {
		t.Errorf("after %s: %d runs, %d at the same time, want %d and never two", after, runs, most, want)
	}
}

// TestOneProcessMakesARun: four processes look for due runs at the same time, repeatedly. Each run lasts
// until every process has looked for due runs meanwhile, so that two runs would overlap.
func TestOneProcessMakesARun(t *testing.T) {
	t.Parallel()
	var i *installation
	i = start(t, 4, func(ctx context.Context) error { return i.haveLooked(ctx) })
	for _, process := range i.processes {
		process.SetPauses(time.Minute, 50*time.Millisecond, 100*time.Millisecond)
	}
	i.assertRuns(t, "the declaration", 0)
	for n := range 10 {
		i.forward(t, "1 hour")
		i.await(t, "the run is made", "due_at > now() AND tries = 0")
		i.assertRuns(t, "another hour", n+1)
	}
}

// TestMissedRunsAreMadeUpOnce: no run was made for days. Later runs are still due at multiples of the
// interval.
func TestMissedRunsAreMadeUpOnce(t *testing.T) {
	t.Parallel()
	i := start(t, 2, func(context.Context) error { return nil })
	var before, after time.Time
	i.forward(t, "100 hours 20 minutes")
	i.await(t, "the run is made", "due_at > now() AND tries = 0")
	i.assertRuns(t, "a hundred hours", 1)
	const due = `SELECT due_at FROM core.module_schedule`
	if err := i.Pool(t).QueryRow(t.Context(), due).Scan(&before); err != nil {
		t.Fatal(err)
	}
	i.forward(t, "1 hour")
	i.await(t, "the next run is made", "due_at > now() AND tries = 0")
	if err := i.Pool(t).QueryRow(t.Context(), due).Scan(&after); err != nil {
		t.Fatal(err)
	}
	if !before.Equal(after) { // the stored times were moved by an hour
		t.Errorf("due at %v, an hour later at %v: the runs have left their grid", before, after)
	}
}

// TestNext: the time until the next run follows the database's clock, and a run in progress is due.
func TestNext(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	i := start(t, 1, func(context.Context) error { <-end; return nil })
	assertNext := func(when string, from, to time.Duration) {
		t.Helper()
		next, some, err := i.processes[0].Next(t.Context(), time.Hour)
		if err != nil || !some || next < from || next > to {
			t.Errorf("Next %s: %s, %v, %v; want %s to %s", when, next, some, err, from, to)
		}
	}
	assertNext("after the declaration", 50*time.Minute, time.Hour)
	i.forward(t, "30 minutes")
	assertNext("half an hour later", 20*time.Minute, 30*time.Minute)
	i.forward(t, "30 minutes")
	i.await(t, "the run has begun", "tries = 1")
	assertNext("during a run", -time.Hour, time.Minute)
	close(end)
	i.await(t, "the run is made", "due_at > now() AND tries = 0")
	assertNext("after a run", 20*time.Minute, time.Hour)
	i.Exec(t, `DELETE FROM core.module_schedule`)
	if _, some, err := i.processes[0].Next(t.Context(), time.Hour); some || err != nil {
		t.Errorf("Next without a schedule: %v, %v; want none", some, err)
	}
}

// TestRestOfASchedule: what a run says of its schedule counts until the process is used again, and until a
// run fails. It does not change when runs are made.
func TestRestOfASchedule(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	i := start(t, 1, func(context.Context) error {
		if broken.Load() {
			return errors.New("broken")
		}
		return nil
	})
	i.counts.rest.Store(int64(5 * time.Hour))
	next := func(unused time.Duration) time.Duration {
		t.Helper()
		next, some, err := i.processes[0].Next(t.Context(), unused)
		if err != nil || !some {
			t.Fatalf("Next: %v, %v", some, err)
		}
		return next
	}
	i.await(t, "the schedule is declared", "due_at > now()")
	i.forward(t, "1 hour")
	i.await(t, "the run is made", "due_at > now() AND tries = 0")
	if got := next(time.Minute); got < 4*time.Hour || got > 5*time.Hour {
		t.Errorf("after a run with nothing to do for 5 hours: %v", got)
	}
	if got := next(0); got > time.Hour {
		t.Errorf("after a use that is later than the run: %v, want an hour at most", got)
	}
	if runs, _ := i.counts.get(); runs != 1 {
		t.Errorf("%d runs, want 1", runs)
	}
	i.forward(t, "1 hour")
	i.await(t, "the next run is made in its hour", "run = 2 AND due_at > now() AND tries = 0")
	broken.Store(true)
	i.forward(t, "1 hour")
	i.await(t, "a run has failed", "tries > 0 AND free_at > now() AND free_at < now() + interval '2 minutes'")
	if got := next(time.Hour); got > 2*time.Minute {
		t.Errorf("after a run that failed: %v, want its repetition", got)
	}
	broken.Store(false)
	i.counts.rest.Store(0)
	i.forward(t, "1 hour")
	i.await(t, "the run is repeated", "due_at > now() AND tries = 0")
	if got := next(time.Hour); got > time.Hour {
		t.Errorf("after a run that said nothing: %v, want an hour at most", got)
	}
}

// TestFailedRunIsRepeated: a failed run is repeated after a pause, until it succeeds.
func TestFailedRunIsRepeated(t *testing.T) {
	t.Parallel()
	var i *installation
	i = start(t, 2, func(context.Context) error {
		if runs, _ := i.counts.get(); runs < 3 {
			return errors.New("not now")
		}
		return nil
	})
	i.forward(t, "1 hour")
	for n, pause := range []string{"1 minute", "2 minutes"} {
		i.await(t, "the run has failed", "tries > 0 AND free_at > now() + interval '"+pause+
			"' - interval '9 seconds' AND free_at < now() + interval '"+pause+"'")
		i.assertRuns(t, "a failure", n+1)
		i.forward(t, pause)
	}
	i.await(t, "the run is made", "due_at > now() AND tries = 0")
	i.assertRuns(t, "two failures", 3)
}

// TestRunThatDoesNotEndKeepsItsClaim: a module that ignores its context blocks only its own schedule.
func TestRunThatDoesNotEndKeepsItsClaim(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	i := start(t, 2, func(context.Context) error { <-end; return nil })
	i.forward(t, "1 hour")
	i.await(t, "the run has begun", "tries = 1")
	for range 5 { // far longer than a run may take and than a claim lasts without renewal
		i.Exec(t, `UPDATE core.module_schedule SET free_at = now() + interval '1 second'`)
		i.await(t, "the claim is renewed", "free_at > now() + interval '40 seconds'")
	}
	i.assertRuns(t, "a run that does not end", 1)
	close(end)
	i.await(t, "the failure is noted", "free_at > now() + interval '50 seconds'")
	i.assertRuns(t, "its end", 1)
}

// TestStoppedProcessGivesItsRunBack: after a process has stopped, the other one makes its run at once. If the
// run has not ended, the claim is kept.
func TestStoppedProcessGivesItsRunBack(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 2)
	i := start(t, 1, func(ctx context.Context) error { begun <- struct{}{}; <-ctx.Done(); return ctx.Err() })
	i.processes[0].SetPauses(time.Minute, 50*time.Millisecond, 5*time.Second)
	i.forward(t, "1 hour")
	i.await(t, "the run has begun", "tries = 1")
	<-begun
	i.stops[0]()
	if !i.is(t, "tries = 0 AND free_at <= now() AND due_at <= now()") {
		t.Error("a run that ended with its process was not given back")
	}

	end := make(chan struct{})
	defer close(end)
	second := start2(t, i, func(context.Context) error { <-end; return nil })
	i.await(t, "the run has begun", "tries = 1")
	second()
	if !i.is(t, "tries = 1 AND free_at > now() + interval '30 seconds'") {
		t.Error("a run that has not ended was given back: another process would make it at the same time")
	}
}

// start2 starts one more process.
func start2(t *testing.T, i *installation, work func(ctx context.Context) error) (stop func()) {
	t.Helper()
	s := schedule.New(schedule.NewStore(i.Pool(t)), &modules{counts: &i.counts, work: work}, zap.NewNop())
	s.SetPauses(time.Minute, 50*time.Millisecond, 100*time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() { _ = s.Serve(ctx) })
	t.Cleanup(func() { cancel(); served.Wait() })
	i.processes = []*schedule.Service{s}
	return func() { cancel(); served.Wait() }
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := func(name string) *abi.Schedule { return &abi.Schedule{Name: name, IntervalSeconds: 3600} }
	var many []*abi.Schedule
	for n := range 17 {
		many = append(many, good("s"+strings.Repeat("a", n)))
	}
	if err := schedule.Check(many[:16]); err != nil {
		t.Errorf("Check of 16 schedules: %v, want none", err)
	}
	for what, schedules := range map[string][]*abi.Schedule{
		"17":        many,
		"a twice":   {good("a"), good("a")},
		"no name":   {good("")},
		"upper":     {good("Reminders")},
		"long":      {good(strings.Repeat("a", 33))},
		"too often": {{Name: "a", IntervalSeconds: 59}},
		"too rare":  {{Name: "a", IntervalSeconds: 30*24*3600 + 1}},
		"overflow":  {{Name: "a", IntervalSeconds: 1<<32 - 1}},
	} {
		if err := schedule.Check(schedules); err == nil {
			t.Errorf("Check of %s: no error, want one", what)
		}
	}
}
