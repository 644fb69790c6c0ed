package process

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// Priorities keeps modules that want the CPU all the time from slowing the others down. It lowers their
// priority, so that they get only the CPU time that nobody else wants. The kernel shares the CPU between
// modules by itself only where it schedules by session (autogroup). It does not in a service or a container
// with a CPU group.
//
// Calls of a module beside three others that spin on two threads each, on two cores, compared with the calls
// without them (median of three runs, scheduled thread by thread): 50 % without Priorities, 91 % with it.
//
// Priorities is a supervised service. It judges the processes whose Config names it, while they are ready:
// starting and stopping have short deadlines and keep the usual priority. All methods may be called
// concurrently, but only one Serve may run at a time.
type Priorities struct {
	log      *zap.Logger
	ready    chan struct{}
	lowered  unix.SchedAttr
	patience int // for how many seconds in a row a process must be busy before it is lowered

	mu     sync.Mutex
	loads  map[*child]*cpuLoad
	warned bool
}

// cpuLoad is the CPU use of one process, as far as it is known.
type cpuLoad struct {
	last    cpuSample
	busyFor int       // samples in a row that show a busy process
	lowered time.Time // when its priority was lowered; zero: it is not lowered
}

const (
	// judgedEvery is how often the processes are measured.
	judgedEvery = time.Second
	// loweredFor is how long a busy process then has the lower priority. After that it has the usual one for one
	// second, so that it can answer its pings even if the other processes leave it no CPU time otherwise.
	loweredFor = 4 * time.Second
	// patienceForGood replaces the patience of one second where a lowered priority cannot be raised again. Work
	// that ends within a minute is then not slowed down at all.
	patienceForGood = 60
	// niceForGood is the lower priority in that case. A process with the idle policy would never have a second
	// with the usual one, and so perhaps get no CPU time at all.
	niceForGood = 19
)

// NewPriorities returns Priorities that judge nothing until Serve.
func NewPriorities(log *zap.Logger) *Priorities {
	p := &Priorities{
		log: log, ready: make(chan struct{}), loads: make(map[*child]*cpuLoad),
		lowered: unix.SchedAttr{Policy: unix.SCHED_IDLE, Nice: niceness}, patience: 1,
	}
	if !mayRestore() {
		p.lowered, p.patience = unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: niceForGood}, patienceForGood
	}
	close(p.ready)
	return p
}

// Serve judges the processes every judgedEvery until ctx ends.
func (p *Priorities) Serve(ctx context.Context) error {
	ticker := time.NewTicker(judgedEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-ticker.C:
			p.judge(now)
		}
	}
}

// Ready is closed from the start, because no service needs to wait for priorities.
func (p *Priorities) Ready() <-chan struct{} { return p.ready }

// String returns the service's name.
func (p *Priorities) String() string { return "module priorities" }

// add begins to judge a process. On nil Priorities it does nothing.
func (p *Priorities) add(c *child) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loads[c] = new(cpuLoad)
}

// remove restores a process's usual priority and stops judging it. On nil Priorities it does nothing.
func (p *Priorities) remove(c *child) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.loads[c]; l != nil && !l.lowered.IsZero() {
		l.restore(c)
	}
	delete(p.loads, c)
}

// judge lowers the priority of busy processes, and restores that of processes that were lowered for long
// enough. The next second then shows whether they are still busy.
func (p *Priorities) judge(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, l := range p.loads {
		next := c.sample(now, l.last)
		if next.busySince(l.last) {
			l.busyFor++
		} else {
			l.busyFor = 0
		}
		l.last = next
		switch {
		case !l.lowered.IsZero() && now.Sub(l.lowered) >= loweredFor:
			l.restore(c)
		case l.lowered.IsZero() && l.busyFor >= p.patience:
			p.lower(c, l, now)
		}
	}
}

// lower logs one warning if the platform may not lower a priority: as root without CAP_SYS_NICE. All modules
// then keep the same priority.
func (p *Priorities) lower(c *child, l *cpuLoad, now time.Time) {
	switch err := c.schedule(p.lowered); {
	case err == nil:
		l.lowered = now
	case !p.warned:
		p.warned = true
		p.log.Warn("the priority of a busy module cannot be lowered", zap.Error(err)) // the error is only an errno
	}
}

// restore fails where mayRestore returns false. The process then stays lowered until it ends.
func (l *cpuLoad) restore(c *child) {
	if c.schedule(unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: niceness}) == nil {
		l.lowered, l.busyFor = time.Time{}, 0
	}
}
