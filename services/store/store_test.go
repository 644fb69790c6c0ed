package store_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/services/waittest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// hanging is a connection of a process that can hang: while it does, it receives nothing.
type hanging struct {
	net.Conn
	process *process
}

type process struct{ hangs atomic.Pointer[pause] } // nil: it has never hung

// pause is one time in which a process hangs.
type pause struct {
	ended chan struct{}
	err   error // of each later call; set before ended is closed
}

func (c hanging) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if hangs := c.process.hangs.Load(); hangs != nil {
		<-hangs.ended
		if hangs.err != nil {
			return 0, hangs.err
		}
	}
	return n, err
}

// hang begins to hang. The function that it returns ends that.
func (p *process) hang() (end func(error)) {
	hangs := &pause{ended: make(chan struct{})}
	p.hangs.Store(hangs)
	return func(how error) {
		hangs.err = how
		close(hangs.ended)
	}
}

// poolOf returns a pool with one connection, whose process can hang.
func poolOf(t *testing.T, db *databasetest.DB) (*pgxpool.Pool, *process) {
	t.Helper()
	p := &process{}
	config := db.Pool(t).Config()
	dial := config.ConnConfig.DialFunc
	config.MaxConns = 1
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return hanging{conn, p}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, p
}

func record(_ context.Context, tx *store.Tx) error {
	return chain.Record(tx, chain.Entry{Actor: chain.Operator(), Action: chain.HouseChanged,
		Subject: chain.Subject{Kind: chain.HouseSubject, ID: "house"}})
}

func pidOf(t *testing.T, pool *pgxpool.Pool) (pid int) {
	t.Helper()
	databasetest.NeedsSessions(t, "the session of a process is looked at")
	if err := pool.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// await waits until the query about a backend is true.
func await(t *testing.T, pool *pgxpool.Pool, sql string, pid int) {
	t.Helper()
	for reached := false; !reached; {
		if err := pool.QueryRow(t.Context(), sql, pid).Scan(&reached); err != nil {
			t.Fatal(err)
		}
	}
}

func recorded(t *testing.T, pool *pgxpool.Pool) (count int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM core.activity").Scan(&count); err != nil {
		t.Fatal(err)
	}
	return count
}

// TestHangingProcessHoldsNothing: a process that hangs after it has sent its entry does not make another one
// wait, because COMMIT is in the same message.
func TestHangingProcessHoldsNothing(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	pool, p := poolOf(t, db)
	if err := store.InTx(t.Context(), pool, record); err != nil { // which also prepares the statements
		t.Fatal(err)
	}
	pid := pidOf(t, pool)
	var end func(error)
	done := make(chan error)
	go func() {
		done <- store.InTx(t.Context(), pool, func(ctx context.Context, tx *store.Tx) error {
			end = p.hang()
			return record(ctx, tx)
		})
	}()
	await(t, db.Pool(t), `
SELECT state LIKE 'idle%' AND query ~ 'record_activity|COMMIT'
FROM pg_stat_activity
WHERE pid = $1`, pid)
	if err := store.InTx(t.Context(), db.Pool(t), record); err != nil {
		t.Errorf("another process beside one that hangs: %v (%s), want success", err, store.CauseOf(err))
	}
	end(nil)
	if err := <-done; err != nil {
		t.Errorf("the process that has hung: %v, want success", err)
	}
	if n := recorded(t, db.Pool(t)); n != 3 {
		t.Errorf("%d entries, want 3", n)
	}
}

// TestDeadlockIsRepeated: PostgreSQL ends one of two transactions that wait for each other, and that one
// succeeds when it is repeated.
func TestDeadlockIsRepeated(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	db.Exec(t, "CREATE TABLE core.pair (id int PRIMARY KEY, n int NOT NULL)")
	db.Exec(t, "INSERT INTO core.pair VALUES (1, 0), (2, 0)")
	var met, runs atomic.Int32
	both := make(chan struct{})
	crossing := func(first, second int) error {
		return store.InTx(t.Context(), db.Pool(t), func(ctx context.Context, tx *store.Tx) error {
			runs.Add(1)
			const add = "UPDATE core.pair SET n = n + 1 WHERE id = $1"
			if _, err := tx.Exec(ctx, add, first); err != nil {
				return err
			}
			if met.Add(1) == 2 {
				close(both)
			}
			<-both
			_, err := tx.Exec(ctx, add, second)
			return err
		})
	}
	done := make(chan error)
	go func() { done <- crossing(1, 2) }()
	if err := errors.Join(crossing(2, 1), <-done); err != nil {
		t.Errorf("two crossing transactions: %v (%s), want success", err, store.CauseOf(err))
	}
	var sum int
	err := db.Pool(t).QueryRow(t.Context(), "SELECT sum(n) FROM core.pair").Scan(&sum)
	if err != nil || sum != 4 || runs.Load() != 3 {
		t.Errorf("sum %d after %d runs, error %v; want 4 after 3", sum, runs.Load(), err)
	}
}

// TestRepeatedOnce: what fails twice is not tried a third time, and has its code and its cause.
func TestRepeatedOnce(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	runs := 0
	err := store.InTx(t.Context(), db.Pool(t), func(ctx context.Context, tx *store.Tx) error {
		runs++
		_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
		return err
	})
	if runs != 2 || !errors.Is(err, httpapi.ErrStore) || store.CauseOf(err) != store.Serialization {
		t.Errorf("%d runs, error %v (%s); want 2, STORE_UNAVAILABLE and serialization", runs, err,
			store.CauseOf(err))
	}
}

// TestGivenUpTransactionIsRepeated: PostgreSQL has ended the session of a process that hung in a transaction.
func TestGivenUpTransactionIsRepeated(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	pool, _ := poolOf(t, db)
	runs := 0
	err := store.InTx(t.Context(), pool, func(ctx context.Context, tx *store.Tx) error {
		if runs++; runs == 1 {
			var pid int
			if _, err := tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = 1"); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
				return err
			}
			await(t, db.Pool(t), "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", pid)
		}
		return record(ctx, tx)
	})
	if n := recorded(t, db.Pool(t)); err != nil || runs != 2 || n != 1 {
		t.Errorf("%d runs, %d entries, error %v; want 2, 1, and success", runs, n, err)
	}
}

// TestHangingTransactionsInARow: three requests of a process that hangs want the same lock. The next one gets
// it when PostgreSQL has ended the previous one, so another process would wait longer than lock_timeout.
func TestHangingTransactionsInARow(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	const lock = "SELECT FROM core.house FOR UPDATE"
	hang := func() {
		conn, err := db.Pool(t).Acquire(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(conn.Release)
		_, err = conn.Exec(t.Context(), "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '1500ms'; "+lock)
		if err != nil {
			t.Error(err)
		}
	}
	hang()
	var hanging sync.WaitGroup
	defer hanging.Wait()
	for n := range 2 {
		hanging.Go(hang)
		waittest.Until(t, "it waits for the lock", func() bool { return waiting(t, db) == n+1 })
	}
	err := store.InTx(t.Context(), db.Pool(t), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, lock)
		return err
	})
	if err != nil {
		t.Errorf("another process: %v (%s), want success", err, store.CauseOf(err))
	}
}

// waiting counts the sessions that wait for a lock.
func waiting(t *testing.T, db *databasetest.DB) (n int) {
	t.Helper()
	if err := db.Pool(t).QueryRow(t.Context(), `
		SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLastStatementFails: its error rolls the transaction back.
func TestLastStatementFails(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	pool, _ := poolOf(t, db)
	err := store.InTx(t.Context(), pool, func(ctx context.Context, tx *store.Tx) error {
		tx.Last("SELECT 1 / $1::int", 0)
		_, err := tx.Exec(ctx, "UPDATE core.house SET name = 'Never'")
		return err
	})
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refused.Code != "22012" || store.CauseOf(err) != store.Other {
		t.Errorf("InTx: %v, want a division by zero", err)
	}
	var name string
	err = pool.QueryRow(t.Context(), "SELECT coalesce(name, '') FROM core.house").Scan(&name)
	if err != nil || name == "Never" {
		t.Errorf("the house is %q, error %v; want what it was", name, err)
	}
}

// TestConnectionLostAtCommit: nobody knows whether the work was stored, so it is not repeated.
func TestConnectionLostAtCommit(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	pool, p := poolOf(t, db)
	if err := store.InTx(t.Context(), pool, record); err != nil {
		t.Fatal(err)
	}
	runs := 0
	err := store.InTx(t.Context(), pool, func(ctx context.Context, tx *store.Tx) error {
		runs++
		p.hang()(io.ErrUnexpectedEOF)
		return record(ctx, tx)
	})
	if runs != 1 || !errors.Is(err, store.ErrUnavailable) || store.CauseOf(err) != store.Connection {
		t.Errorf("%d runs, error %v (%s); want 1, STORE_UNAVAILABLE and connection", runs, err, store.CauseOf(err))
	}
}

// TestWaitForALock: a transaction waits for a lock for less time than its request waits for it.
func TestWaitForALock(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	databasetest.Lock(t, db.Pool(t), "SELECT FROM core.house FOR UPDATE")
	ctx, cancel := store.Detached(t.Context(), time.Hour)
	defer cancel()
	err := store.InTx(ctx, db.Pool(t), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE core.house SET name = 'Another'")
		return err
	})
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "55P03" ||
		store.CauseOf(err) != store.Timeout {
		t.Errorf("InTx: %v (%s), want that the lock was not available and timeout", err, store.CauseOf(err))
	}
}

func TestCoded(t *testing.T) {
	t.Parallel()
	cause := errors.New("host=db.test")
	if err := store.Coded(nil); err != nil {
		t.Errorf("Coded(nil): %v, want nil", err)
	}
	if err := store.Coded(httpapi.ErrPermission); err != httpapi.ErrPermission {
		t.Errorf("Coded of an error with a code: %v, want the same", err)
	}
	for _, err := range []error{store.Coded(cause), store.Unavailable(httpapi.ErrPermission)} {
		if !errors.Is(err, httpapi.ErrStore) || !strings.HasPrefix(err.Error(), "STORE_UNAVAILABLE: ") {
			t.Errorf("%v, want STORE_UNAVAILABLE", err)
		}
	}
	if err := store.Coded(cause); !errors.Is(err, cause) {
		t.Errorf("%v, want its cause kept", err)
	}
}

func TestCauseOf(t *testing.T) {
	t.Parallel()
	for want, errs := range map[store.Cause][]error{
		store.Timeout: {context.DeadlineExceeded, os.ErrDeadlineExceeded, &net.OpError{Err: os.ErrDeadlineExceeded},
			&pgconn.PgError{Code: "57014"}},
		store.Deadlock:   {&pgconn.PgError{Code: "40P01"}},
		store.Connection: {io.ErrUnexpectedEOF, net.ErrClosed, &net.DNSError{}, &pgconn.PgError{Code: "08006"}},
		store.Shutdown:   {&pgconn.PgError{Code: "57P01"}},
		store.Limit:      {&pgconn.PgError{Code: "53300"}},
		store.Other:      {errors.New("else"), &pgconn.PgError{Code: "42P01"}},
	} {
		for _, err := range slices.Concat(errs, []error{store.Coded(errs[0])}) {
			if got := store.CauseOf(err); got != want {
				t.Errorf("%#v: %s, want %s", err, got, want)
			}
		}
	}
}
