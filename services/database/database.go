// Package database owns the connections to PostgreSQL: the one pool that Core shares, and beside it one small pool for each module
// that has a database, under the module's own role (architecture.md §5). It knows how to connect and to stop; it knows no table but the
// one that lists the modules' roles.
package database

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
)

const (
	coreConns   = 15 // Core's share of the process's 40 connections, beside the probe's one
	moduleConns = 24 // what all modules together may open, unless there are more modules

	oldestServer = 150000 // PostgreSQL 15 as server_version_num writes it

	closeGrace = 5 * time.Second // for connections in use when the service stops; afterwards their sockets are closed
	closeForce = 2 * time.Second // for their users to notice
)

// Database is the shared pool as a supervised service, and the owner of the modules' pools. All methods may be called at any time
// from any goroutine.
type Database struct {
	settings environment.Database
	core     *pgxpool.Pool
	probe    *probe
	sockets  *sockets
	modules  *budget
	ready    chan struct{}

	readyOnce sync.Once
	closeOnce sync.Once
	closed    chan struct{}
	closeErr  error

	mu    sync.Mutex
	pools []*ModulePool // nil once closed
	ended bool
}

// Open makes the pool. It opens no connection before one is needed; Check tells whether the server can be used.
func Open(settings environment.Database) (*Database, error) {
	d := &Database{
		settings: settings,
		sockets:  newSockets(),
		modules:  newBudget(moduleConns),
		ready:    make(chan struct{}),
		closed:   make(chan struct{}),
	}
	d.probe = newProbe(settings, d.sockets)
	config := poolConfig(Config(settings))
	config.ConnConfig.DialFunc = d.sockets.watch(config.ConnConfig.DialFunc)
	config.MaxConns = coreConns
	config.MaxConnIdleTime = 5 * time.Minute
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	d.core = pool
	return d, nil
}

// Pool is Core's pool. It belongs to the Database: nobody else closes it.
func (d *Database) Pool() *pgxpool.Pool { return d.core }

// Serve keeps the pools until ctx ends and then closes them, within about 7 s. It is ready at once. A second call returns ErrClosed.
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

// Ready is closed once Serve runs: the pool connects when it is first used.
func (d *Database) Ready() <-chan struct{} { return d.ready }

// String names the service.
func (d *Database) String() string { return "database" }
