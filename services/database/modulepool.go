package database

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	connsPerModule = 4
	moduleIdleTime = 30 * time.Second // after this time an idle connection is closed
	pingAfter      = time.Second      // a connection that was idle for longer is tested before use
	pingWithin     = 2 * time.Second
	resetWithin    = 2 * time.Second
	closeWithin    = 2 * time.Second
	drainWithin    = 5 * time.Second // for the sessions of a process that has ended
)

// ModulePool holds one module's connections: at most 4. The first is the module's own; the others come from a
// budget that all modules share. pgxpool cannot do this: a module that waits for the budget must get its own
// connection as soon as that one is free.
//
// The next user never gets the state of the previous one: Release resets the session, or closes it when the
// reset fails. Only prepared statements and their plans are kept.
type ModulePool struct {
	budget *budget
	config *pgx.ConnConfig

	// Under the budget's lock.
	memory     Memory      // counts kept statements; nil: they are not counted
	idle       []*idleConn // in the order of their last use
	open       int         // connecting, in use, being reset or closed, idle
	resetting  int         // of open: about to become idle
	claimed    int         // of resetting: already counted for a waiter by this run of serve
	generation int         // of connections; those of an older generation are closed when they are released
	closed     bool
	drained    chan struct{} // not nil while a caller waits for open to become 0
}

// ModuleConn is a connection in use by one goroutine, until its Release.
type ModuleConn struct {
	*pgx.Conn
	pool       *ModulePool
	statements *statements // of the session
	generation int
	released   bool
}

type idleConn struct {
	*ModuleConn
	since  time.Time
	expiry *time.Timer
}

// Acquire waits for a connection until ctx ends. Its error is ErrClosed, ErrUnreachable or ctx's own.
func (p *ModulePool) Acquire(ctx context.Context) (*ModuleConn, error) {
	for {
		granted, err := p.budget.wait(ctx, p)
		if err != nil {
			return nil, err
		}
		if granted.evicted != nil {
			granted.evicted.end()
		}
		if granted.conn == nil {
			return p.connect(ctx, granted)
		}
		if granted.conn.works(ctx, granted.idleFor) {
			return granted.conn, nil
		}
		go granted.conn.discard()
	}
}

// Charge makes memory count the kept statements of sessions that are opened later.
func (p *ModulePool) Charge(memory Memory) {
	p.budget.mu.Lock()
	defer p.budget.mu.Unlock()
	p.memory = memory
}

// connect opens a connection for a place that the budget has granted.
func (p *ModulePool) connect(ctx context.Context, granted grant) (*ModuleConn, error) {
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		p.budget.free(p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fail(ErrUnreachable, err)
	}
	return &ModuleConn{Conn: conn, pool: p, statements: &statements{memory: granted.memory},
		generation: granted.generation}, nil
}

func (c *ModuleConn) works(ctx context.Context, idleFor time.Duration) bool {
	if isUsable(c.Conn, idleFor) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	return c.Ping(ctx) == nil
}

// isUsable reports whether an idle connection may be used without a ping.
func isUsable(conn *pgx.Conn, idleFor time.Duration) bool {
	return idleFor < pingAfter && isQuiet(conn.PgConn().Conn())
}

// Release returns the connection to the pool. It does not wait for the reset. Later calls do nothing. A
// session inside a transaction, or with a statement in progress, is closed, which rolls back.
func (c *ModuleConn) Release() {
	if c.released {
		return
	}
	c.released = true
	if c.IsClosed() || c.PgConn().IsBusy() || c.PgConn().TxStatus() != 'I' || !c.pool.budget.mayReset(c) {
		go c.discard() // ModulePool.Close waits for it, because the connection counts as open
		return
	}
	go func() {
		works := c.reset()
		next := &ModuleConn{Conn: c.Conn, pool: c.pool, statements: c.statements, generation: c.generation}
		if !c.pool.budget.put(next, works) {
			next.discard()
		}
	}()
}

// discard closes the session and frees its place.
func (c *ModuleConn) discard() {
	c.end()
	c.pool.budget.free(c.pool)
}

// end closes the session and returns when its socket is closed. After a cancelled statement pgx closes the
// socket in the background: it sends the cancellation to the server first, which takes up to 15 s when the
// server hangs.
func (c *ModuleConn) end() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = c.Close(ctx)
	c.statements.forget()
	<-c.PgConn().CleanupDone()
}

// EndSessions closes every session of the pool after the module's process has ended: idle ones at once,
// those in use when they are released. It waits for both, at most 5 s. A later Acquire opens a new session.
func (p *ModulePool) EndSessions() {
	wait := time.NewTimer(drainWithin)
	defer wait.Stop()
	select {
	case <-p.budget.drain(p, false):
	case <-wait.C:
	}
}

// Close closes every session like EndSessions, opens no new one, and waits until the last connection was
// released.
func (p *ModulePool) Close() { <-p.budget.drain(p, true) }

// discardAll closes sessions that nobody else can reach any more.
func discardAll(conns []*idleConn) {
	var working sync.WaitGroup
	for _, conn := range conns {
		working.Go(conn.discard)
	}
	working.Wait()
}
