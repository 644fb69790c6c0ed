package database

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	connsPerModule    = 4
	moduleIdleTime    = 30 * time.Second // after this time an idle connection is closed
	moduleHealthCheck = 10 * time.Second // how often idle connections are looked at
	pingAfter         = time.Second      // a connection that was idle for longer is tested before use
	resetWithin       = 2 * time.Second
	closeWithin       = 2 * time.Second
	drainWithin       = 5 * time.Second // for the sessions of a process that has ended
)

// ModulePool holds one module's connections: at most 4, each of which needs one of the process's places.
//
// The next user never gets the state of the previous one: Release resets the session, or closes it when the
// reset fails. Only prepared statements and their plans are kept. Behind a transaction pooler every
// transaction begins with the settings of the session and ends with the reset (transaction.go).
type ModulePool struct {
	pool    *pgxpool.Pool
	places  *places
	session string // sets the settings of a session
	begin   string // begins a transaction
	after   string // follows the end of a transaction, in the same message; "": nothing
	pooled  bool   // a session of the server is a connection's own only during a transaction

	inUse    chan struct{} // has a value for each connection in use or being reset
	own      chan struct{} // has a value while the module's own place is in use
	borrowed atomic.Int64  // shared places in use
	resets   chan reset    // under way, which no Acquire waits for

	generation atomic.Int64 // of sessions; EndSessions begins a new one
	ending     sync.Mutex   // held by EndSessions
	closing    chan struct{}
	closeOnce  sync.Once
}

// reset is closed when a connection was reset.
type reset chan struct{}

// ModuleConn is a connection in use by one goroutine, until its Release.
type ModuleConn struct {
	*pgx.Conn
	pool       *ModulePool
	lent       *pgxpool.Conn
	statements *statements // of the session
	generation int64
	released   bool
}

// newModulePool makes a pool. Nothing is connected.
func newModulePool(
	conn *pgx.ConnConfig, session sessionSettings, pooled bool, places *places,
) (*ModulePool, error) {
	p := &ModulePool{places: places, session: session.sql(), begin: "BEGIN", pooled: pooled,
		inUse: make(chan struct{}, connsPerModule), own: make(chan struct{}, 1),
		resets: make(chan reset, connsPerModule), closing: make(chan struct{})}
	if pooled {
		p.begin, p.after = "BEGIN; "+session.local(), "; "+resetSession+resetPlans
	}
	config := poolConfig(conn)
	config.MaxConns, config.MaxConnIdleTime = connsPerModule, moduleIdleTime
	config.HealthCheckPeriod = moduleHealthCheck
	config.ShouldPing = needsPing
	config.BeforeConnect = func(ctx context.Context, _ *pgx.ConnConfig) error { return places.awaitRoom(ctx) }
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[statementsKey] = &statements{}
		return nil
	}
	var err error
	p.pool, err = pgxpool.NewWithConfig(context.Background(), config)
	return p, err
}

// needsPing reports whether an idle connection must be tested before it is used.
func needsPing(_ context.Context, idle pgxpool.ShouldPingParams) bool {
	return idle.IdleDuration >= pingAfter || !isQuiet(idle.Conn.PgConn().Conn())
}

// statementsKey is where a session has its statements.
const statementsKey = "narthex statements"

func statementsOf(conn *pgx.Conn) *statements {
	return conn.PgConn().CustomData()[statementsKey].(*statements)
}

// Acquire waits for a connection until ctx ends. Its error is ErrClosed, ErrUnreachable or ctx's own.
func (p *ModulePool) Acquire(ctx context.Context) (*ModuleConn, error) {
	p.awaitReset(ctx)
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	generation := p.generation.Load()
	lent, err := p.pool.Acquire(ctx)
	switch {
	case err == nil:
		conn := lent.Conn()
		return &ModuleConn{Conn: conn, pool: p, lent: lent, statements: statementsOf(conn),
			generation: generation}, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case p.isClosed():
		err = ErrClosed
	default:
		err = fail(ErrUnreachable, err)
	}
	p.leave()
	return nil, err
}

// awaitReset waits for a connection that is being reset and that nobody else waits for, if none is idle: to
// open another one would take longer.
func (p *ModulePool) awaitReset(ctx context.Context) {
	select {
	case done := <-p.resets:
		if p.pool.Stat().IdleConns() > 0 {
			return
		}
		select {
		case <-done:
		case <-ctx.Done():
		}
	default:
	}
}

func (p *ModulePool) isClosed() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

// Release returns the connection to the pool. It does not wait for the reset. Later calls do nothing. A
// session inside a transaction, or with a statement in progress, is closed, which rolls back.
func (c *ModuleConn) Release() {
	if c.released {
		return
	}
	c.released = true
	if c.isOver() {
		go func() {
			end(c.lent)
			c.pool.leave()
		}()
		return
	}
	done := make(reset)
	select {
	case c.pool.resets <- done:
	default:
	}
	go func() {
		if c.reset() && !c.isOver() {
			c.lent.Release()
		} else {
			end(c.lent)
		}
		c.pool.leave()
		close(done)
		select {
		case <-c.pool.resets: // this one or another: nobody needs to wait for either
		default:
		}
	}()
}

// isOver reports whether nobody may use the session again. It is not reset either when the process that used
// it has ended.
func (c *ModuleConn) isOver() bool {
	return c.IsClosed() || c.PgConn().IsBusy() || c.PgConn().TxStatus() != 'I' ||
		c.generation != c.pool.generation.Load() || c.pool.isClosed()
}

// end closes a session and returns when its socket is closed. After a cancelled statement pgx closes the
// socket in the background: it sends the cancellation to the server first, which takes up to 15 s when the
// server hangs.
func end(lent *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	conn := lent.Conn()
	_ = conn.Close(ctx)
	<-conn.PgConn().CleanupDone()
	lent.Hijack() // removes it from the pool at once; Release would do that later
}

// EndSessions closes every session of the pool after the module's process has ended: idle ones at once,
// those in use when they are released. It waits for both, at most 5 s. A later Acquire opens a new session,
// or uses one that was being opened and that nobody has used.
func (p *ModulePool) EndSessions() {
	p.ending.Lock()
	defer p.ending.Unlock()
	wait := time.NewTimer(drainWithin)
	defer wait.Stop()
	p.generation.Add(1)
	p.endIdle()
	for range connsPerModule {
		select {
		case p.inUse <- struct{}{}:
			defer func() { <-p.inUse }()
		case <-wait.C:
			return
		}
	}
	p.endIdle() // released meanwhile
}

// endIdle closes idle sessions. The pool counts them until they are closed.
func (p *ModulePool) endIdle() {
	var ended sync.WaitGroup
	for _, idle := range p.pool.AcquireAllIdle(context.Background()) {
		ended.Go(func() { end(idle) })
	}
	ended.Wait()
}

// Close closes every session like EndSessions, opens no new one, and waits until the last connection was
// released.
func (p *ModulePool) Close() {
	p.closeOnce.Do(func() { close(p.closing) })
	p.pool.Close()
}
