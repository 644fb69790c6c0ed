package database

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	connsPerModule = 4
	moduleIdleTime = 30 * time.Second // a module at rest holds no connection
	pingAfter      = time.Second      // a connection that was idle for longer is asked whether it still works
	pingWithin     = 2 * time.Second
	resetWithin    = 2 * time.Second
	closeWithin    = 2 * time.Second
	drainWithin    = 5 * time.Second // for the sessions of a process that has ended
)

// ModulePool is one module's connections: at most 4, of which the first is its own and the others come from a
// budget that all modules share. pgxpool cannot do this: a module that waits for the budget must get its own
// connection as soon as that is free.
//
// No session is handed on as its last user left it: Release resets it (DISCARD ALL), or ends it where that
// fails.
type ModulePool struct {
	budget *budget
	config *pgx.ConnConfig

	// Under the budget's lock.
	idle       []*idleConn // the one used last is the last
	open       int         // connecting, in use, being reset or closed, idle
	resetting  int         // of open: about to be idle
	claimed    int         // of resetting: for waiters that serve has passed
	generation int         // of connections; those of an older one are closed when they come back
	closed     bool
	drained    chan struct{} // not nil while somebody waits for open to become 0
}

// ModuleConn is a connection in use by one goroutine, until Release.
type ModuleConn struct {
	*pgx.Conn
	pool       *ModulePool
	generation int
	released   bool
}

type idleConn struct {
	*ModuleConn
	since  time.Time
	expiry *time.Timer
}

// Acquire waits for a connection as long as ctx allows. Its error is ErrClosed, ErrUnreachable or ctx's own.
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
			return p.connect(ctx, granted.generation)
		}
		if granted.conn.works(ctx, granted.idleFor) {
			return granted.conn, nil
		}
		go granted.conn.discard()
	}
}

// connect uses a place that the caller was granted.
func (p *ModulePool) connect(ctx context.Context, generation int) (*ModuleConn, error) {
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		p.budget.free(p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fail(ErrUnreachable, err)
	}
	return &ModuleConn{Conn: conn, pool: p, generation: generation}, nil
}

func (c *ModuleConn) works(ctx context.Context, idleFor time.Duration) bool {
	if idleFor < pingAfter {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	return c.Ping(ctx) == nil
}

// Release gives the connection back without waiting until it is reset. Only the first call counts. A session
// inside a transaction, or with a statement under way, is ended, which rolls back.
func (c *ModuleConn) Release() {
	if c.released {
		return
	}
	c.released = true
	if c.IsClosed() || c.PgConn().IsBusy() || c.PgConn().TxStatus() != 'I' || !c.pool.budget.mayReset(c) {
		go c.discard() // the pool waits for it, as the connection counts as open
		return
	}
	go func() {
		works := c.reset()
		if next := (&ModuleConn{Conn: c.Conn, pool: c.pool, generation: c.generation}); !c.pool.budget.put(next, works) {
			next.discard()
		}
	}()
}

// reset leaves nothing of what the session was used for: settings, locks, channels listened to, prepared
// statements.
func (c *ModuleConn) reset() bool {
	ctx, cancel := context.WithTimeout(context.Background(), resetWithin)
	defer cancel()
	_, err := c.Exec(ctx, "DISCARD ALL", pgx.QueryExecModeSimpleProtocol)
	return err == nil
}

// discard ends the session and frees its place.
func (c *ModuleConn) discard() {
	c.end()
	c.pool.budget.free(c.pool)
}

// end returns when the session's socket is closed. pgx closes the one of a statement that was cancelled in
// the background, for it tells the server first, and needs up to 15 s where that does not answer.
func (c *ModuleConn) end() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = c.Close(ctx)
	<-c.PgConn().CleanupDone()
}

// EndSessions ends every session of the pool, for the module's process has ended: idle ones at once, those in
// use when they come back. It waits for both, at most 5 s. Whoever acquires afterwards gets a new session.
func (p *ModulePool) EndSessions() {
	wait := time.NewTimer(drainWithin)
	defer wait.Stop()
	select {
	case <-p.budget.drain(p, false):
	case <-wait.C:
	}
}

// Close is EndSessions for ever, and waits until the last connection has come back.
func (p *ModulePool) Close() { <-p.budget.drain(p, true) }

// discardAll ends sessions that nobody else can reach any more.
func discardAll(conns []*idleConn) {
	var working sync.WaitGroup
	for _, conn := range conns {
		working.Go(conn.discard)
	}
	working.Wait()
}
