// Package database owns the connections to PostgreSQL: the pool that Core shares, and one small pool for each
// module that has a database, under the module's own role. It opens and closes connections. The only tables
// that it uses are the lists of the modules' roles and of processes.
package database

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	// coreIdleTransaction is how long PostgreSQL keeps the locks of a process that hangs in a transaction, or
	// whose machine is lost. It is shorter than the others wait for a lock (services/store), so that they get
	// it. The transaction of a process that hung for so long is repeated.
	coreIdleTransaction = 1500 * time.Millisecond

	oldestServer = 150000 // PostgreSQL 15 as server_version_num writes it

	closeForce = 2 * time.Second // for users to return connections whose sockets were closed
)

// Database is a supervised service that owns Core's pool and the modules' pools. All methods are safe for
// concurrent use, at any time.
type Database struct {
	settings environment.Database
	core     *pgxpool.Pool
	probe    *probe
	sockets  *sockets
	absent   *unreachable
	newest   *timelines
	modules  *places
	ready    chan struct{}

	readyOnce  sync.Once
	closeGrace time.Duration // for connections in use when the service stops; then their sockets are closed
	closeOnce  sync.Once
	closed     chan struct{}
	closeErr   error

	mu    sync.Mutex
	pools []*ModulePool // nil once closed
	ended bool
}

// Open makes the pool. A connection is opened only when it is needed. Check reports whether the server can be
// used.
func Open(settings environment.Database) (*Database, error) {
	divided := divide(settings)
	d := &Database{
		settings: settings,
		sockets:  newSockets(),
		absent:   newUnreachable(),
		newest:   newTimelines(),
		modules:  newPlaces(divided.modules),
		ready:    make(chan struct{}),

		closeGrace: deadlines.Close,
		closed:     make(chan struct{}),
	}
	d.probe = newProbe(d.config(nil), settings, d.watch)
	config := poolConfig(d.config(append(pageCosts(), statementTimeout(deadlines.Statement),
		idleTransactionTimeout(coreIdleTransaction))))
	config.ConnConfig.DialFunc = d.watch(config.ConnConfig.DialFunc)
	config.MaxConns = int32(divided.core)
	config.MaxConnIdleTime = 5 * time.Minute
	config.ShouldPing = needsPing
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	d.core = pool
	return d, nil
}

// config returns Config with other settings of the session. With several servers, it also refuses a session
// on a primary that was replaced.
func (d *Database) config(session sessionSettings) *pgx.ConnConfig {
	config := configWith(d.settings, session)
	if len(d.settings.Servers) > 1 {
		config.ValidateConnect = d.newest.refuseReplaced(config.ValidateConnect)
	}
	return config
}

// watch returns a dial function whose connections a stop can close. If there is only one server, it is always
// tried.
func (d *Database) watch(dial dialFunc) dialFunc {
	if len(d.settings.Servers) > 1 {
		dial = d.absent.skipAbsent(dial)
	}
	return d.sockets.watch(dial)
}

// Pool returns Core's pool. Only the Database may close it.
func (d *Database) Pool() *pgxpool.Pool { return d.core }

// Serve keeps the pools open until ctx ends and then closes them, within about 7 s. It is ready at once.
// A second call returns ErrClosed.
func (d *Database) Serve(ctx context.Context) error {
	select {
	case <-d.closed:
		return ErrClosed
	default:
	}
	d.readyOnce.Do(func() { close(d.ready) })
	<-ctx.Done()
	if err := d.Close(); err != nil {
		return err
	}
	return ctx.Err()
}

// Ready is closed once Serve runs: the pool connects only when it is used.
func (d *Database) Ready() <-chan struct{} { return d.ready }

// String names the service.
func (d *Database) String() string { return "database" }

// Installation returns an id that no other database has: the cluster's identifier, which its standbys
// share, and the database's own number in it. It does not reveal where the database is. Its error is
// ErrUnreachable.
func (d *Database) Installation(ctx context.Context) (id string, err error) {
	err = d.core.QueryRow(ctx, `
		SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || oid
		FROM pg_database
		WHERE datname = current_database()`).Scan(&id)
	if err != nil {
		return "", fail(ErrUnreachable, err)
	}
	return id, nil
}
