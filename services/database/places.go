package database

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// places limits how many connections all modules use together. Every module has one place of its own. The
// other places are shared, first come, first served, by modules that need a second to fourth connection.
type places struct {
	size    int           // places in all, unless there are more modules
	shared  chan struct{} // has a value for each place that is in use, or is a module's own
	waiting atomic.Int64  // callers of Acquire

	mu      sync.Mutex
	pools   []*ModulePool
	opening int // connections in awaitRoom
}

func newPlaces(size int) *places { return &places{size: size, shared: make(chan struct{}, size)} }

// add makes a shared place the module's own. All modules are added before one uses its pool.
func (p *places) add(pool *ModulePool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pools = append(p.pools, pool)
	select {
	case p.shared <- struct{}{}:
	default: // more modules than places
	}
}

// roomInterval is how often awaitRoom looks for room.
const roomInterval = 5 * time.Millisecond

// awaitRoom is called when a connection is about to be opened, which its pool already counts. It waits while
// there are more than places and none is idle: some may have been opened for callers who have gone, or are
// being closed. Its error is that of ctx.
func (p *places) awaitRoom(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening++
	defer func() { p.opening-- }()
	for !p.makeRoom(ctx) {
		p.mu.Unlock()
		select {
		case <-time.After(roomInterval):
		case <-ctx.Done():
		}
		p.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// makeRoom closes connections that are idle, of any module, while there is no place for one that is about to
// be opened, and reports whether there is one. Called with the lock held.
func (p *places) makeRoom(ctx context.Context) bool {
	over := p.count((*pgxpool.Stat).TotalConns) - p.opening + 1 - p.most()
	for _, pool := range p.pools {
		if over <= 0 {
			break
		}
		for _, idle := range pool.pool.AcquireAllIdle(ctx) {
			if over > 0 {
				end(idle)
				over--
			} else {
				idle.Release()
			}
		}
	}
	return over <= 0
}

// most returns how many connections all modules may have. Called with the lock held.
func (p *places) most() int { return max(p.size, len(p.pools)) }

// count adds a figure of all pools. Called with the lock held.
func (p *places) count(figure func(*pgxpool.Stat) int32) (sum int) {
	for _, pool := range p.pools {
		sum += int(figure(pool.pool.Stat()))
	}
	return sum
}

func (p *places) figures() PoolFigures {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PoolFigures{Most: p.most(), Open: p.count((*pgxpool.Stat).TotalConns),
		Idle: p.count((*pgxpool.Stat).IdleConns), Waiting: int(p.waiting.Load())}
}

// enter waits for a place: the module's own or a shared one, whichever is free first. Its error is ErrClosed
// or that of ctx.
func (p *ModulePool) enter(ctx context.Context) error {
	p.places.waiting.Add(1)
	defer p.places.waiting.Add(-1)
	select {
	case p.inUse <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closing:
		return ErrClosed
	}
	select {
	case p.own <- struct{}{}:
		return nil
	default:
	}
	var err error
	select {
	case p.own <- struct{}{}:
		return nil
	case p.places.shared <- struct{}{}:
		p.borrowed.Add(1)
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-p.closing:
		err = ErrClosed
	}
	<-p.inUse
	return err
}

// leave gives back a place: a shared one first, which others may need.
func (p *ModulePool) leave() {
	if p.borrowed.Add(-1) >= 0 {
		<-p.places.shared
	} else {
		p.borrowed.Add(1)
		<-p.own
	}
	<-p.inUse
}
