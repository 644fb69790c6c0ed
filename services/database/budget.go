package database

import (
	"context"
	"slices"
	"sync"
	"time"
)

// budget bounds how many connections all modules hold together, and decides who gets the next one. Every
// module has one place of its own; the rest is shared, first come, first served, by who needs a second to
// fourth. A module that waits for a shared place takes one from a module that has connections at rest.
type budget struct {
	size int // places in all, unless there are more modules

	mu      sync.Mutex
	pools   []*ModulePool
	waiting []*waiter
}

// waiter is one Acquire that waits.
type waiter struct {
	pool    *ModulePool
	granted chan grant // has room
}

// grant is a connection, or a place to open one.
type grant struct {
	conn       *ModuleConn // nil: a place
	idleFor    time.Duration
	generation int         // of what is opened
	evicted    *ModuleConn // its place is the one that was granted: to be ended first
	err        error
}

func newBudget(size int) *budget { return &budget{size: size} }

// add makes room for a module's own place.
func (b *budget) add(pool *ModulePool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pools = append(b.pools, pool)
}

// wait returns what the pool's next user gets.
func (b *budget) wait(ctx context.Context, pool *ModulePool) (grant, error) {
	w := &waiter{pool: pool, granted: make(chan grant, 1)}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.serve()
	b.mu.Unlock()
	select {
	case g := <-w.granted:
		return g, g.err
	case <-ctx.Done():
	}
	b.mu.Lock()
	if at := slices.Index(b.waiting, w); at >= 0 {
		b.waiting = slices.Delete(b.waiting, at, at+1)
		b.mu.Unlock()
		return grant{}, ctx.Err()
	}
	b.mu.Unlock()
	g := <-w.granted // it came at the same moment
	return g, g.err
}

// serve grants what can be granted, in the order of arrival. Called with the lock held.
func (b *budget) serve() {
	for _, pool := range b.pools {
		pool.claimed = 0
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w *waiter) bool {
		g, ok := b.grant(w.pool)
		if ok {
			w.granted <- g
		}
		return ok
	})
}

// grant is called with the lock held.
func (b *budget) grant(pool *ModulePool) (grant, bool) {
	switch {
	case pool.closed:
		return grant{err: ErrClosed}, true
	case len(pool.idle) > 0:
		conn := pool.take(len(pool.idle) - 1)
		return grant{conn: conn.ModuleConn, idleFor: time.Since(conn.since)}, true
	case pool.claimed < pool.resetting: // one is free soon; to connect would take longer
		pool.claimed++
		return grant{}, false
	case pool.open >= connsPerModule:
		return grant{}, false
	case pool.open == 0 || b.shared() > 0:
		pool.open++
		return grant{generation: pool.generation}, true
	}
	for _, other := range b.pools {
		if other.open > 1 && len(other.idle) > 0 {
			conn := other.take(0)
			other.open--
			pool.open++
			return grant{generation: pool.generation, evicted: conn.ModuleConn}, true
		}
	}
	return grant{}, false
}

// shared is how many shared places are left. Called with the lock held.
func (b *budget) shared() int {
	left := max(b.size, len(b.pools)) - len(b.pools)
	for _, pool := range b.pools {
		left -= max(pool.open-1, 0)
	}
	return left
}

// take removes an idle connection. Called with the budget's lock held.
func (p *ModulePool) take(at int) *idleConn {
	conn := p.idle[at]
	p.idle = slices.Delete(p.idle, at, at+1)
	conn.expiry.Stop()
	return conn
}

// mayReset tells whether a connection shall be reset and put, which must follow; not one of a process that
// has ended.
func (b *budget) mayReset(c *ModuleConn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.stale() {
		return false
	}
	c.pool.resetting++
	return true
}

// stale is called with the budget's lock held.
func (c *ModuleConn) stale() bool { return c.pool.closed || c.generation != c.pool.generation }

// put takes a connection back that was reset. false: it is to be discarded.
func (b *budget) put(c *ModuleConn, works bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	pool := c.pool
	pool.resetting--
	if !works || c.stale() {
		b.serve() // who waited for it
		return false
	}
	conn := &idleConn{ModuleConn: c, since: time.Now()}
	conn.expiry = time.AfterFunc(moduleIdleTime, func() { b.expire(conn) })
	pool.idle = append(pool.idle, conn)
	b.serve()
	return true
}

// expire ends a connection that nobody needed, unless somebody has just taken it.
func (b *budget) expire(conn *idleConn) {
	b.mu.Lock()
	at := slices.Index(conn.pool.idle, conn)
	if at >= 0 {
		conn.pool.take(at)
	}
	b.mu.Unlock()
	if at >= 0 {
		conn.discard()
	}
}

// free gives a place back.
func (b *budget) free(pool *ModulePool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pool.open--
	pool.tellDrained()
	b.serve()
}

// drain ends the idle connections and lets those in use end when they come back; the channel is closed when
// none is left.
func (b *budget) drain(pool *ModulePool, forEver bool) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	pool.generation++
	pool.closed = pool.closed || forEver
	idle := pool.idle
	pool.idle = nil
	for _, conn := range idle {
		conn.expiry.Stop()
	}
	go discardAll(idle) // they count as open
	if pool.drained == nil {
		pool.drained = make(chan struct{})
	}
	drained := pool.drained
	pool.tellDrained()
	b.serve()
	return drained
}

// tellDrained is called with the budget's lock held.
func (p *ModulePool) tellDrained() {
	if p.drained != nil && p.open == 0 {
		close(p.drained)
		p.drained = nil
	}
}
