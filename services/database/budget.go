package database

import (
	"context"
	"slices"
	"sync"
	"time"
)

// budget limits how many connections all modules have together, and decides which module gets the next one.
// Every module has one place of its own. The other places are shared, first come, first served, by modules
// that need a second to fourth connection. A module that waits for a shared place may take one from a module
// with idle connections.
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

// grant is the result for a waiter: an idle connection, or a place in which to open one.
type grant struct {
	conn       *ModuleConn // nil: only a place
	idleFor    time.Duration
	generation int         // of the connection to open
	memory     Memory      // for the connection to open
	evicted    *ModuleConn // had the granted place; to be closed first
	err        error
}

func newBudget(size int) *budget { return &budget{size: size} }

// add adds a module's pool, and with it the module's own place.
func (b *budget) add(pool *ModulePool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pools = append(b.pools, pool)
}

// wait returns the next grant for the pool, or an error.
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
	g := <-w.granted // the grant came at the moment when ctx ended
	return g, g.err
}

// serve grants as many waiting requests as possible, in the order of arrival. Called with the lock held.
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
	case pool.claimed < pool.resetting: // a connection will be idle soon; opening one would take longer
		pool.claimed++
		return grant{}, false
	case pool.open >= connsPerModule:
		return grant{}, false
	case pool.open == 0 || b.shared() > 0:
		pool.open++
		return grant{generation: pool.generation, memory: pool.memory}, true
	}
	for _, other := range b.pools {
		if other.open > 1 && len(other.idle) > 0 {
			conn := other.take(0)
			other.open--
			pool.open++
			return grant{generation: pool.generation, memory: pool.memory, evicted: conn.ModuleConn}, true
		}
	}
	return grant{}, false
}

// shared returns how many shared places are free. Called with the lock held.
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

// mayReset reports whether a connection may be reset; put must follow then. A connection of an earlier
// generation may not: the process that used it has ended.
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

// put adds a reset connection to the idle ones of its pool. When it returns false, the caller must discard
// the connection.
func (b *budget) put(c *ModuleConn, works bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	pool := c.pool
	pool.resetting--
	if !works || c.stale() {
		b.serve() // for the waiters that serve kept waiting for this connection
		return false
	}
	conn := &idleConn{ModuleConn: c, since: time.Now()}
	conn.expiry = time.AfterFunc(moduleIdleTime, func() { b.expire(conn) })
	pool.idle = append(pool.idle, conn)
	b.serve()
	return true
}

// expire closes an idle connection, unless it was taken a moment ago.
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

// free returns a place to the budget.
func (b *budget) free(pool *ModulePool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pool.open--
	pool.notifyDrained()
	b.serve()
}

// drain closes the idle connections. Those in use are closed when they are released. The returned channel is
// closed when no connection is left.
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
	go discardAll(idle) // they count as open until it is done
	if pool.drained == nil {
		pool.drained = make(chan struct{})
	}
	drained := pool.drained
	pool.notifyDrained()
	b.serve()
	return drained
}

// notifyDrained is called with the budget's lock held.
func (p *ModulePool) notifyDrained() {
	if p.drained != nil && p.open == 0 {
		close(p.drained)
		p.drained = nil
	}
}
