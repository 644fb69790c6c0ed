// Package store has what all stores share: the context of a request's database work, the transaction with its
// entries of the activity, the error of a store that failed, and the one word for why.
package store

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Detached returns a context for a request's database work, which continues when the client disconnects,
// because pgx closes a connection whose query is cancelled.
func Detached(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// begin limits each wait for a lock to 2 s, so that a transaction and its repetition both end before
// deadlines.Store. It is longer than a transaction of a process that hangs keeps its locks. The limits that a
// session has (database.Open) are set again, because behind a transaction pooler it has none. Several that
// wait for each other get the locks one after the other, so a wait that was too short is repeated. READ
// COMMITTED, because under a stricter isolation every second writer of the activity fails.
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s';
	SET LOCAL idle_in_transaction_session_timeout = '1500ms'; SET LOCAL statement_timeout = '29s'`

const commit = `COMMIT`

// Tx is a transaction of InTx.
type Tx struct {
	pgx.Tx
	last pgx.Batch
}

// Last adds a statement that is sent in one message with COMMIT, after all others. So what it locks is
// locked only while PostgreSQL itself works, however long this process hangs in between. Its result is not
// read, but its error rolls the transaction back.
func (t *Tx) Last(sql string, arguments ...any) { t.last.Queue(sql, arguments...) }

// InTx runs f in one transaction. A transaction that PostgreSQL has ended is repeated once: for a deadlock
// or a failed serialization, which is another transaction's success; when this process hung for so long that
// its transaction was given up; and when another one holds a lock that it needs, because that one may hang.
// So f may run twice, and must set all that it returns each time. An error without a code gets
// STORE_UNAVAILABLE; after a lost connection it is unknown whether f's work was stored.
func InTx(ctx context.Context, pool *pgxpool.Pool, f func(context.Context, *Tx) error) error {
	err := inTx(ctx, pool, f)
	if isRepeatable(err) && paused(ctx) {
		err = inTx(ctx, pool, f)
	}
	return Coded(err)
}

// paused waits for a moment before a repetition, so that the other transaction of a deadlock gets its lock
// first; otherwise both would meet again. It returns false if the context has ended.
func paused(ctx context.Context) bool {
	timer := time.NewTimer(20*time.Millisecond + rand.N(20*time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func inTx(ctx context.Context, pool *pgxpool.Pool, f func(context.Context, *Tx) error) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	started, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return err
	}
	tx := &Tx{Tx: started}
	defer func() {
		if conn.Conn().PgConn().TxStatus() != 'I' {
			// The context has perhaps ended. A connection that cannot even roll back is closed by Release.
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackDeadline)
			defer cancel()
			_ = started.Rollback(within)
		}
	}()
	if err := f(ctx, tx); err != nil {
		return err
	}
	if tx.last.Len() == 0 {
		return started.Commit(ctx)
	}
	tx.last.Queue(commit)
	return conn.SendBatch(ctx, &tx.last).Close()
}

const rollbackDeadline = time.Second
