package health

import (
	"context"
	"errors"
	"sync"
	"time"
)

// probe is one ping and everyone who waits for it.
type probe struct {
	began   time.Time
	settled chan struct{}
	err     error // valid once settled
}

// pinger keeps at most one ping unsettled, however many ask.
type pinger struct {
	ping  func(context.Context) error
	ready chan struct{}
	wake  chan struct{}

	mu      sync.Mutex
	current *probe // nil: none under way
}

func newPinger(ping func(context.Context) error) *pinger {
	ready := make(chan struct{})
	close(ready)
	return &pinger{ping: ping, ready: ready, wake: make(chan struct{}, 1)}
}

// ask joins the ping under way, or has one begun. Once that ping is PingTimeout old it fails at once, until the ping has settled.
func (p *pinger) ask(ctx context.Context) error {
	probe := p.join()
	wait := time.NewTimer(time.Until(probe.began.Add(PingTimeout)))
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

// failed is a settled ping's outcome. Of the database's error only a fixed word is taken.
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
		p.wake <- struct{}{} // never blocks: one place, and one unsettled probe
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

func (p *pinger) settle(ctx context.Context) {
	p.mu.Lock()
	probe := p.current
	p.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, SettleTimeout)
	defer cancel()
	probe.err = p.ping(bounded)
	p.mu.Lock()
	p.current = nil
	p.mu.Unlock()
	close(probe.settled)
}
