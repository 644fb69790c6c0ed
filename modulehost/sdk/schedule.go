package sdk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

const longestInterval = 30 * 24 * time.Hour

// Scheduled is a function that runs regularly (Registry.Every).
type Scheduled func(ctx context.Context) error

// Every declares a function that runs once in each interval. If several processes share the database, one of
// them runs it, and only one at a time:
//
//	r.Every("reminders", time.Hour, m.remind)
//
// A name is 1 to 32 of a-z, 0-9 and -, beginning with a letter; an interval is 1 minute to 30 days in whole
// seconds; a module has at most 16 schedules. The first run is due one interval after the module's first
// start, and begins up to 10 s late. All runs that were missed while no process ran are replaced by one. A
// module needs no database of its own for this.
//
// A run has 30 s, and its ctx ends 2 s before that or when the platform stops. After an error or a crash the
// run is repeated, after a minute at first and later after up to an hour, but never later than the interval.
// The failed run may have done a part of its work, so the next one must be able to continue from there.
func (r *Registry) Every(name string, interval time.Duration, run Scheduled) {
	switch {
	case run == nil:
		r.problems = append(r.problems, fmt.Errorf("schedule %q has no function", name))
		return
	case r.scheduled[name] != nil:
		r.problems = append(r.problems, fmt.Errorf("schedule %q is declared twice", name))
		return
	case interval%time.Second != 0 || interval < time.Minute || interval > longestInterval:
		r.problems = append(r.problems,
			fmt.Errorf("schedule %q: its interval must be 1 minute to 30 days, in whole seconds", name))
		return
	}
	if r.scheduled == nil {
		r.scheduled = make(map[string]Scheduled)
	}
	r.scheduled[name] = run
	r.schedules = append(r.schedules,
		&abi.Schedule{Name: name, IntervalSeconds: uint32(interval / time.Second)})
}

// NothingFor, called in a run, says that its schedule has nothing to do for so long, unless somebody uses
// the platform meanwhile. It counts until the next run:
//
//	sdk.NothingFor(ctx, next.Sub(now))
//
// Runs are made in each interval all the same while the platform's process runs. But a process that nobody
// uses may end (SERVICE_IDLE_EXIT_MINUTES), and only a run that has something to do keeps it running, or
// starts it again, within a quarter of an hour. Without this call each run counts as one that has, so a run
// that leaves work to another schedule or to a goroutine does not call it. The shortest d of a run counts, at
// most 30 days.
func NothingFor(ctx context.Context, d time.Duration) {
	if r, ok := ctx.Value(restKey{}).(*rest); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.set || d < r.shortest {
			r.set, r.shortest = true, d
		}
	}
}

// NothingUntil calls NothingFor with the time until the moment that sql selects, by the database's clock, or
// with a day if it selects NULL. Outside a run it only runs the statement.
func NothingUntil(ctx context.Context, db Querier, sql string) error {
	seconds := (24 * time.Hour).Seconds()
	err := db.QueryRow(ctx, `SELECT coalesce(extract(epoch FROM (`+sql+`) - now())::float8, $1::float8)`,
		seconds).Scan(&seconds)
	if err == nil {
		NothingFor(ctx, time.Duration(seconds*float64(time.Second)))
	}
	return err
}

// rest is for how long a run has said that there is nothing to do.
type rest struct {
	mu       sync.Mutex
	set      bool
	shortest time.Duration
}

// restKey is the key of a run's rest in its context.
type restKey struct{}

// codeRunning is the failure of a run when the previous run of its schedule is still in progress.
const codeRunning = Error("RUN_IN_PROGRESS")

// runs holds the runs in progress in this process, by schedule.
type runs struct {
	mu      sync.Mutex
	running map[string]chan struct{} // closed when the run ends
}

func (s *runs) begin(name string) (end func(), free bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[name] != nil {
		return nil, false
	}
	if s.running == nil {
		s.running = make(map[string]chan struct{})
	}
	ended := make(chan struct{})
	s.running[name] = ended
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, name)
		close(ended)
	}, true
}

func (s *runs) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[name] != nil
}

// wait waits until no run is in progress, so that Stop is called after the last one.
func (s *runs) wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		var one chan struct{}
		for _, ended := range s.running {
			one = ended
		}
		s.mu.Unlock()
		if one == nil {
			return nil
		}
		select {
		case <-one:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *moduleServer) run(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.RunRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	name := request.GetName()
	if request.GetAskOnly() {
		return &abi.RunResponse{Running: l.runs.has(name)}, nil
	}
	run := l.registry.scheduled[name]
	if run == nil {
		return nil, errNotDeclared
	}
	end, free := l.runs.begin(name)
	if !free {
		return nil, &link.Failure{CodeText: codeRunning.Code()}
	}
	defer end()
	pause := &rest{}
	err := run(context.WithValue(ctx, restKey{}, pause))
	if err != nil && ctx.Err() != context.Canceled {
		reportError("Every "+name, err)
	}
	seconds := min(max(pause.shortest, 0), longestInterval) / time.Second
	return &abi.RunResponse{NothingForSeconds: uint32(seconds)}, err
}
