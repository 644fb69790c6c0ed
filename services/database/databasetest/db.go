package databasetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// DB is one test's database. It is dropped when the test ends, with its sessions and the roles that
// migrations created in it.
type DB struct {
	// URL is a value for DATABASE_URL. It contains the superuser's password.
	URL string
	// Settings are the same as URL, with TLS off.
	Settings environment.Database
	// Server are those of the server itself, for what cannot be done through a transaction pooler.
	Server environment.Database

	running *database.Database
}

// New returns a database with Core's schema and no rows. Tests may run in parallel.
func New(t testing.TB) *DB {
	t.Helper()
	return create(t, template)
}

// Empty returns a database without Core's schema.
func Empty(t testing.TB) *DB {
	t.Helper()
	return create(t, "template1")
}

func create(t testing.TB, from string) *DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	db, err := shared.create(ctx, from)
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
	t.Cleanup(func() { db.drop(t) })
	if db.Settings.Pooled && from == template { // a copy has not the settings of its users
		db.storeSettings(ctx, t)
	}
	return db
}

func (db *DB) storeSettings(ctx context.Context, t testing.TB) {
	t.Helper()
	direct, err := database.Open(db.Server)
	if err == nil {
		err = errors.Join(direct.StoreSettings(ctx), direct.Close())
	}
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
}

// Database returns the platform's own database service on this database. It runs until the test ends. All
// calls return the same one. The first call must not be concurrent with another.
func (db *DB) Database(t testing.TB) *database.Database {
	t.Helper()
	if db.running != nil {
		return db.running
	}
	opened, err := database.Open(db.Settings)
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- opened.Serve(ctx) }()
	<-opened.Ready()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("databasetest: the database service ended with %v", err)
		}
	})
	db.running = opened
	return opened
}

// Pool returns Core's pool on this database, open until the test ends.
func (db *DB) Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return db.Database(t).Pool()
}

// AnotherPool returns a second pool on this database, like the pool of another process. It is closed when the
// test ends. Each of its connections first runs the statements.
func (db *DB) AnotherPool(t testing.TB, statements ...string) *pgxpool.Pool {
	t.Helper()
	config := db.Pool(t).Config()
	if len(statements) > 0 {
		config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, strings.Join(statements, ";"))
			return err
		}
	}
	return open(t, config)
}

// Connected opens all connections of the pool and returns it, for tests in which many goroutines use it at
// once: on a busy machine connecting may take longer than the platform allows for a query.
func Connected(t testing.TB, pool *pgxpool.Pool) *pgxpool.Pool {
	t.Helper()
	for range pool.Config().MaxConns {
		connection, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatalf("databasetest: %v", err)
		}
		defer connection.Release()
	}
	return pool
}

// UnreachablePool returns a pool that cannot reach a server.
func (db *DB) UnreachablePool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	config := db.Pool(t).Config()
	config.ConnConfig.Port = 1
	return open(t, config)
}

func open(t testing.TB, config *pgxpool.Config) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// PrepareAll fails the test for every statement that does not match the schema.
func (db *DB) PrepareAll(t testing.TB, statements []string) {
	t.Helper()
	connection, err := db.Pool(t).Acquire(t.Context())
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
	defer connection.Release()
	for i, statement := range statements {
		if _, err := connection.Conn().Prepare(t.Context(), fmt.Sprint("s", i), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Exec runs one statement, or several without arguments, and fails the test when the server refuses.
func (db *DB) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := db.Pool(t).Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("databasetest: %v", err)
	}
}

func (db *DB) drop(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := shared.drop(ctx, db.Settings.Name); err != nil {
		t.Errorf("databasetest: %v", err)
	}
}

// Lock begins a transaction and runs sql in it, which takes a lock. The lock lasts until the caller ends the
// transaction, or until the test ends: the limit for a transaction that is idle does not apply.
func Lock(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	_, err = tx.Exec(t.Context(), "SET LOCAL idle_in_transaction_session_timeout = 0")
	if err == nil {
		_, err = tx.Exec(t.Context(), sql, args...)
	}
	if err != nil {
		t.Fatalf("databasetest: %v", err)
	}
	return tx
}
