package health

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// probe is one ping, shared by all checks that wait for it.
type probe struct {
	began   time.Time
	settled chan struct{}
	err     error // readable once settled is closed
}

// pinger has at most one ping in progress, however many checks wait.
type pinger struct {
	ping  func(context.Context) error
	ready chan struct{}
	wake  chan struct{}

	mu      sync.Mutex
	current *probe // nil: none in progress
}

func newPinger(ping func(context.Context) error) *pinger {
	ready := make(chan struct{})
	close(ready)
	return &pinger{ping: ping, ready: ready, wake: make(chan struct{}, 1)}
}

// ask waits for the ping in progress, or starts one. When that ping is older than deadlines.Probe, ask fails
// at once until the ping has ended.
func (p *pinger) ask(ctx context.Context) error {
	probe := p.join()
	wait := time.NewTimer(time.Until(probe.began.Add(deadlines.Probe)))
	defer wait.Stop()
	select {
	case <-probe.settled:
		return failed(probe.err)
	case <-wait.C:
		return &notReady{reason: "database silent", age: time.Since(probe.began)}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failed returns the result of a ping that has ended. It uses only a fixed word of the database's error.
func failed(err error) error {
	if err == nil {
		return nil
	}
	refused := &notReady{reason: "database unusable"}
	if known, ok := errors.AsType[interface {
		error
		Why() string
	}](err); ok {
		refused.why = known.Why()
	}
	return refused
}

func (p *pinger) join() *probe {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		p.current = &probe{began: time.Now(), settled: make(chan struct{})}
		p.wake <- struct{}{} // never blocks: the channel has a buffer of one, and there is only one probe
	}
	return p.current
}

func (p *pinger) serve(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.wake:
			p.settle(ctx)
		}
	}
}

// settle sends a ping, which may run far longer than a check waits for it. So a server that hangs has only
// one ping in progress, not one more every two seconds.
func (p *pinger) settle(ctx context.Context) {
	p.mu.Lock()
	probe := p.current
	p.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, deadlines.Settle)
	defer cancel()
	probe.err = p.ping(bounded)
	p.mu.Lock()
	p.current = nil
	p.mu.Unlock()
	close(probe.settled)
}
