package sdk

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// DB is the module's own schema in PostgreSQL. It is used with the module's own role, which can reach no
// other schema. Each call runs one statement, for at most 30 s, with parameters $1, $2, ...; values are
// scanned as by database/sql. A module has at most four connections; a call waits up to 5 s for one. Safe for
// concurrent use.
//
// A parameter is any value that database/sql accepts, or a []string or []int64 for "= ANY($1)". A time is
// sent in whole microseconds. A statement and its parameters have at most 1.25 MiB together, a row 1 MiB.
//
// COPY is refused. A session is reset before its next use, so the effects of SET, LISTEN, PREPARE and
// advisory locks last for one statement or one transaction.
//
// Errors: *DatabaseError for an error of PostgreSQL, ctx's own, ErrDatabaseUnavailable, ErrTransactionEnded,
// ErrRowsUnread, ErrRowsEnded, ErrRowTooLarge, ErrHostOverloaded, ErrMessageTooLarge, ErrMessageUnencodable.
// After ctx's own error and ErrDatabaseUnavailable it is unknown whether the statement was executed.
type DB struct{ statements }

// mostOpening bounds the calls that may wait for a connection at once. The host serves 16 calls of a module
// at a time. If all of them waited for a connection, no transaction could continue and release one.
const mostOpening = 8

func newDB(client *link.Client) *DB {
	return &DB{statements{client: client, opening: make(semaphore, mostOpening)}}
}

// statements runs statements, in a transaction or outside.
type statements struct {
	client      *link.Client
	transaction uint64    // 0: none
	opening     semaphore // limits the calls that need a connection; nil in a transaction, which has one
}

// open makes a call for which the host may have to wait for a connection.
func (s statements) open(ctx context.Context, method abi.Method, request, response proto.Message) error {
	if s.opening == nil {
		return s.call(ctx, method, request, response)
	}
	if err := s.opening.acquire(ctx); err != nil {
		return err
	}
	defer s.opening.release()
	return s.call(ctx, method, request, response)
}

// Exec runs a statement and returns the number of affected rows.
func (s statements) Exec(ctx context.Context, sql string, args ...any) (rowsAffected int64, err error) {
	values, err := encodeArguments(args)
	if err != nil {
		return 0, err
	}
	request := &abi.ExecRequest{Transaction: s.transaction, Sql: sql, Arguments: values}
	var response abi.ExecResponse
	err = s.open(ctx, abi.Method_METHOD_EXEC, request, &response)
	return response.GetRowsAffected(), withPosition(err, sql)
}

// Query runs a statement and returns its rows. A result of more than 1 MiB keeps one of the module's
// connections until it is read to the end or closed, for at most 30 s.
func (s statements) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	values, err := encodeArguments(args)
	if err != nil {
		return nil, err
	}
	request := &abi.QueryRequest{Transaction: s.transaction, Sql: sql, Arguments: values}
	var page abi.RowsResponse
	if err := s.open(ctx, abi.Method_METHOD_QUERY, request, &page); err != nil {
		return nil, withPosition(err, sql)
	}
	return newRows(ctx, s, &page), nil
}

// QueryRow runs a statement and returns its first row. Scan returns sql.ErrNoRows when there is none.
func (s statements) QueryRow(ctx context.Context, sql string, args ...any) *Row {
	rows, err := s.Query(ctx, sql, args...)
	return &Row{rows: rows, err: err}
}

func (s statements) call(ctx context.Context, method abi.Method, request, response proto.Message) error {
	return call(ctx, s.client, method, request, response)
}

// Tx is a transaction. It runs one statement at a time: read rows to the end or close them before the next
// statement. It uses one connection, and is rolled back 30 s after it began, even while it is in use. Not
// safe for concurrent use.
type Tx struct{ statements }

// InTx runs f in a transaction. It commits when f returns nil, and rolls back when f returns an error or
// panics. It returns the error of f, Begin or Commit.
func (db *DB) InTx(ctx context.Context, f func(tx *Tx) error) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed { // f may have failed because ctx ended, so roll back without ctx's end
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	err = tx.Commit(ctx)
	committed = err == nil // a COMMIT that never reached the host leaves the transaction open
	return err
}

// Begin begins a transaction, which the caller must end with Commit or Rollback. InTx ends it by itself.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	var response abi.BeginResponse
	if err := db.open(ctx, abi.Method_METHOD_BEGIN, &abi.BeginRequest{}, &response); err != nil {
		return nil, err
	}
	return &Tx{statements{client: db.client, transaction: response.GetTransaction()}}, nil
}

// Commit commits the transaction. It returns ErrTransactionEnded when a statement has failed; then nothing is
// committed. After any other error it is unknown whether the transaction was committed. Rollback may be
// called after every error.
func (tx *Tx) Commit(ctx context.Context) error {
	return tx.call(ctx, abi.Method_METHOD_COMMIT, &abi.CommitRequest{Transaction: tx.transaction},
		&abi.CommitResponse{})
}

// Rollback rolls the transaction back.
func (tx *Tx) Rollback(ctx context.Context) error {
	return tx.call(ctx, abi.Method_METHOD_ROLLBACK, &abi.RollbackRequest{Transaction: tx.transaction},
		&abi.RollbackResponse{})
}
