// Package idle ends a process that nobody uses, so that one machine has room for many installations
// (SERVICE_IDLE_EXIT_MINUTES). systemd holds the listening socket and starts the process again for the next
// connection. docs/operations/many-houses.md says what counts as use.
//
// A request that comes while the process decides or stops is not lost: the process answers what it has
// accepted by then, and later connections wait in the socket's queue for the next process. So nothing here
// locks out requests. The worst that a late request costs is a start.
package idle

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Config configures a Service.
type Config struct {
	After   int           // minutes
	Streams func() int    // how many streams are open
	Mails   func() int    // how many emails wait
	Runs    ScheduledRuns // of modules
	// Uncounted is the path prefix of the requests that do not keep the process awake.
	Uncounted string
	// Leave is called before the process ends, with the time until the next scheduled run.
	Leave func(next time.Duration) error
	Log   *zap.Logger
}

// ScheduledRuns returns the time until the next scheduled run that has something to do: zero or less if one
// is due or in progress. unused is for how long nobody has used the process, or since when it runs. No run is
// scheduled if some is false.
type ScheduledRuns func(
	ctx context.Context, unused time.Duration,
) (next time.Duration, some bool, err error)

// LongestSleep is the longest time until the process is started again, although nothing is scheduled: expired
// data is to be deleted, and modules may still have to forget an erased person.
const LongestSleep = 24 * time.Hour

// Service looks once a minute whether the process was used since the last look. Safe for concurrent use, but
// only one Serve may run at a time.
type Service struct {
	config   Config
	requests atomic.Uint64 // counted requests
	present  atomic.Int64  // those of them that are in progress
	passed   chan struct{}
	ready    chan struct{}
}

// New makes a Service. It starts no goroutine.
func New(config Config) *Service {
	ready := make(chan struct{})
	close(ready)
	return &Service{config: config, passed: make(chan struct{}, 1), ready: ready}
}

// Watch wraps the handler of all requests and counts them.
func (s *Service) Watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, s.config.Uncounted) {
			s.requests.Add(1)
			s.present.Add(1)
			defer s.present.Add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

// Passed delivers one value when the process was idle for long enough. The receiver should stop everything.
func (s *Service) Passed() <-chan struct{} { return s.passed }

// Serve looks until ctx ends. It counts from the first look that finds the process unused, so the process is
// never idle for less than the configured time.
func (s *Service) Serve(ctx context.Context) error {
	after := time.Duration(s.config.After) * deadlines.IdleMinute
	look := time.NewTicker(deadlines.IdleMinute)
	defer look.Stop()
	var (
		seen  = s.requests.Load()
		idle  bool
		since time.Time
		last  = time.Now() // look that found it used; at first the start
	)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		requests := s.requests.Load()
		used := requests != seen || s.used()
		seen = requests
		switch {
		case used:
			idle, last = false, time.Now()
		case !idle:
			idle, since = true, time.Now()
		case time.Since(since) >= after && s.mayLeave(ctx, time.Since(last)):
			s.passed <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
	}
}

// Ready is closed from the start, because no other service waits for this one.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "idle exit" }

func (s *Service) used() bool {
	return s.present.Load() > 0 || s.config.Streams() > 0 || s.config.Mails() > 0
}

// mayLeave reports whether no scheduled run is due soon and the time of the next one is stored. Without a
// database it returns false: a process that started again would not get ready.
func (s *Service) mayLeave(ctx context.Context, unused time.Duration) bool {
	next, some, err := s.config.Runs(ctx, unused)
	if err != nil || some && next <= deadlines.RunSoon {
		return false
	}
	if !some || next > LongestSleep {
		next = LongestSleep
	}
	if err := s.config.Leave(next); err != nil {
		s.config.Log.Warn("idle, but the time of the next scheduled run cannot be stored")
		return false
	}
	return true
}
