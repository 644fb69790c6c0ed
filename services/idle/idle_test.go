package idle_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/idle"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// process is a process that may be idle for 10 minutes, in virtual time.
type process struct {
	mu             sync.Mutex // guards the next six
	streams, mails int
	next           time.Duration // until the next scheduled run; 0: there is none
	unreachable    error         // why the time of the next run cannot be read
	full           error         // why it cannot be stored
	left           time.Duration // what was stored
	unused         time.Duration // for which the runs were asked last
	service        *idle.Service
	handler        http.Handler
	began          time.Time
}

// serve starts a process in the bubble of the test.
func serve(t *testing.T, p *process) {
	t.Helper()
	p.service = idle.New(idle.Config{
		After:   10,
		Streams: func() (n int) { p.set(func() { n = p.streams }); return n },
		Mails:   func() (n int) { p.set(func() { n = p.mails }); return n },
		Runs: func(_ context.Context, unused time.Duration) (next time.Duration, some bool, err error) {
			p.set(func() { next, some, err, p.unused = p.next, p.next != 0, p.unreachable, unused })
			return next, some, err
		},
		Uncounted: "/health/",
		Leave: func(next time.Duration) (err error) {
			p.set(func() { p.left, err = next, p.full })
			return err
		},
		Log: zap.NewNop(),
	})
	p.handler = p.service.Watch(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(time.Hour)
		}
	}))
	p.began = time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.service.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: error %v, want %v", err, context.Canceled)
		}
	})
}

// set changes or reads the process under its lock.
func (p *process) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *process) get(path string) {
	p.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
}

// assertStays checks that the process does not want to end for so long.
func (p *process) assertStays(t *testing.T, why string, period time.Duration) {
	t.Helper()
	time.Sleep(period)
	synctest.Wait()
	select {
	case <-p.service.Passed():
		t.Errorf("%s: idle after %s", why, time.Since(p.began))
	default:
	}
}

// assertEnds checks that the process wants to end after the last use: not earlier than after 10 minutes, and
// not later than two looks after that.
func (p *process) assertEnds(t *testing.T, why string) {
	t.Helper()
	used := time.Now()
	select {
	case <-p.service.Passed():
	case <-time.After(24 * time.Hour):
		t.Fatalf("%s: never idle", why)
	}
	if after := time.Since(used); after < 10*time.Minute || after > 12*time.Minute {
		t.Errorf("%s: idle after %s, want 10 to 12 minutes", why, after)
	}
}

func TestUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(process)
		serve(t, p)
		p.assertEnds(t, "never used")
		if p.left != idle.LongestSleep {
			t.Errorf("nothing scheduled: to be started after %s, want %s", p.left, idle.LongestSleep)
		}
		p.assertStays(t, "told once", time.Hour)
	})
}

func TestUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(process)
		serve(t, p)
		for range 20 {
			p.assertStays(t, "a request every 9 minutes", 9*time.Minute)
			p.get("/")
		}
		go p.get("/slow")
		p.assertStays(t, "a request in progress", time.Hour)
		p.assertEnds(t, "after the request")
	})
	for what, field := range map[string]func(p *process) *int{
		"a stream": func(p *process) *int { return &p.streams },
		"mails":    func(p *process) *int { return &p.mails },
	} {
		synctest.Test(t, func(t *testing.T) {
			p := new(process)
			serve(t, p)
			p.set(func() { *field(p) = 1 })
			p.assertStays(t, what, 5*time.Hour)
			p.set(func() { *field(p) = 0 })
			p.assertEnds(t, "after "+what)
		})
	}
}

func TestHealthChecksAreNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(process)
		serve(t, p)
		checks := time.NewTicker(5 * time.Second)
		defer checks.Stop()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				select {
				case <-checks.C:
					p.get("/health/ready")
				case <-ctx.Done():
				}
			}
		}()
		p.assertEnds(t, "only health checks")
	})
}

func TestScheduledRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{next: 14 * time.Minute}
		serve(t, p)
		p.assertStays(t, "a run in 14 minutes", time.Hour)
		p.set(func() { p.next = -time.Minute })
		p.assertStays(t, "a run that is due", time.Hour)
		p.set(func() { p.next, p.unreachable = time.Hour, errors.New("no database") })
		p.assertStays(t, "unknown runs", time.Hour)
		p.set(func() { p.unreachable, p.full = nil, errors.New("disk full") })
		p.assertStays(t, "a full disk", time.Hour)
		p.set(func() { p.full = nil })
		<-p.service.Passed()
		if p.left != time.Hour {
			t.Errorf("a run in an hour: to be started after %s", p.left)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := &process{next: 30 * 24 * time.Hour}
		serve(t, p)
		p.assertEnds(t, "a run in a month")
		if p.left != idle.LongestSleep {
			t.Errorf("a run in a month: to be started after %s, want %s", p.left, idle.LongestSleep)
		}
	})
}

// TestRunsSinceTheLastUse: what runs said counts since the start, or since a look after the last use.
func TestRunsSinceTheLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(process)
		serve(t, p)
		p.assertEnds(t, "never used")
		if since := time.Since(p.began); p.unused != since {
			t.Errorf("never used, for %s: runs are asked since %s", since, p.unused)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := new(process)
		serve(t, p)
		p.assertStays(t, "not yet", 450*time.Second)
		used := time.Now()
		p.get("/")
		p.assertEnds(t, "after a use")
		if since := time.Since(used); p.unused > since || p.unused < since-time.Minute {
			t.Errorf("used %s ago: runs are asked since %s", since, p.unused)
		}
	})
}
