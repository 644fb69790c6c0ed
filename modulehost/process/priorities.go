package process

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// Priorities keeps modules that want the CPU all the time from slowing the others down. It lowers their
// priority, so that they get what nobody else wants. The kernel shares the CPU between modules by itself only
// where it schedules by session (autogroup), which it does not in a service or a container with a CPU group.
//
// Calls of a module beside three others that spin on two threads each, on two cores, against those without
// them (median of three runs, thread by thread): 50 % without it, 91 % with it.
//
// It is a supervised service. The processes whose Config names it take part while they are ready: starting
// and stopping have short deadlines and keep the usual priority. All methods may be called concurrently, but
// only one Serve may run at a time.
type Priorities struct {
	log      *zap.Logger
	ready    chan struct{}
	lowered  unix.SchedAttr
	patience int // how many seconds in a row a process is busy before it is lowered

	mu     sync.Mutex
	loads  map[*child]*cpuLoad
	warned bool
}

// cpuLoad is what is known of one process.
type cpuLoad struct {
	last    cpuSample
	busyFor int       // samples in a row that show a busy process
	lowered time.Time // since when its priority is the lower one; zero: it is not
}

const (
	// judgedEvery is how often it is asked who wants the CPU all the time.
	judgedEvery = time.Second
	// loweredFor is how long a busy process then has the lower priority. In one second of five it has the usual
	// one, so that it goes on and answers its pings where others leave it nothing otherwise.
	loweredFor = 4 * time.Second
	// patienceForGood takes the place of one second where a lowered priority cannot be raised again. Work that
	// ends within a minute is then not slowed down at all.
	patienceForGood = 60
	// niceForGood is the lower priority there. A process that is idle for the scheduler would get no second of
	// five, and so perhaps nothing.
	niceForGood = 19
)

// NewPriorities starts nothing.
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

// Serve judges the processes once a second until ctx ends.
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

// Ready is closed from the start: nobody waits for a priority.
func (p *Priorities) Ready() <-chan struct{} { return p.ready }

// String names the service.
func (p *Priorities) String() string { return "module priorities" }

// add begins to judge a process. Of nil Priorities it does nothing.
func (p *Priorities) add(c *child) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loads[c] = new(cpuLoad)
}

// remove gives a process its usual priority back and judges it no more. Of nil Priorities it does nothing.
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

// judge lowers the processes that are busy, and restores those that were lowered for long enough. The second
// after that shows whether they still are busy.
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

// lower warns once where the platform may not do it: as root without CAP_SYS_NICE. All modules then keep the
// same priority.
func (p *Priorities) lower(c *child, l *cpuLoad, now time.Time) {
	switch err := c.schedule(p.lowered); {
	case err == nil:
		l.lowered = now
	case !p.warned:
		p.warned = true
		p.log.Warn("the priority of a busy module cannot be lowered", zap.Error(err)) // an errno
	}
}

// restore fails where mayRestore is false. The process then stays lowered until it ends.
func (l *cpuLoad) restore(c *child) {
	if c.schedule(unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: niceness}) == nil {
		l.lowered, l.busyFor = time.Time{}, 0
	}
}
