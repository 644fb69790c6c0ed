package sdk

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// DB is the module's own schema in PostgreSQL, under a role of its own: other tables cannot be reached. One
// statement a call, of at most 30 s, values as $1, $2, ...; scanning follows database/sql's habits. At most
// four connections, waited for 5 s. Safe for concurrent use.
//
// A value is what database/sql takes, or a []string or []int64 for "= ANY($1)"; an instant travels in whole
// microseconds. A statement and its values have at most 1.25 MiB together, a row 1 MiB.
//
// COPY is refused. A session is reset before its next use: what SET, LISTEN, PREPARE or an advisory lock
// leave lasts for one statement, or one transaction.
//
// Errors: *DatabaseError for what PostgreSQL said, ctx's own, ErrDatabaseUnavailable, ErrTransactionEnded,
// ErrRowsUnread, ErrRowsEnded, ErrRowTooLarge, ErrHostOverloaded, ErrMessageTooLarge, ErrMessageUnencodable.
// After ctx's own and ErrDatabaseUnavailable it is unknown whether the statement was done.
type DB struct{ statements }

// mostOpening is how many calls may wait for a connection at once. The host serves 16 calls of a module at a
// time; when all of them waited, no transaction could go on and give its connection back.
const mostOpening = 8

func newDB(client *link.Client) *DB {
	return &DB{statements{client: client, opening: make(chan struct{}, mostOpening)}}
}

// statements runs statements, in a transaction or outside.
type statements struct {
	client      *link.Client
	transaction uint64        // 0: none
	opening     chan struct{} // of calls that need a connection; nil in a transaction, which has one
}

// open makes a call that may have to wait for a connection.
func (s statements) open(ctx context.Context, method abi.Method, request, response proto.Message) error {
	if s.opening == nil {
		return s.call(ctx, method, request, response)
	}
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
		return s.call(ctx, method, request, response)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Exec runs a statement for its effect and returns the number of rows it touched.
func (s statements) Exec(ctx context.Context, sql string, args ...any) (rowsAffected int64, err error) {
	values, err := encodeArguments(args)
	if err != nil {
		return 0, err
	}
	request := &abi.ExecRequest{Transaction: s.transaction, Sql: sql, Arguments: values}
	var response abi.ExecResponse
	err = s.open(ctx, abi.Method_METHOD_EXEC, request, &response)
	return response.GetRowsAffected(), located(err, sql)
}

// Query runs a statement for its rows. More than 1 MiB of them hold one of the module's connections until
// they are read to the end or closed, and for at most 30 s.
func (s statements) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	values, err := encodeArguments(args)
	if err != nil {
		return nil, err
	}
	request := &abi.QueryRequest{Transaction: s.transaction, Sql: sql, Arguments: values}
	var page abi.RowsResponse
	if err := s.open(ctx, abi.Method_METHOD_QUERY, request, &page); err != nil {
		return nil, located(err, sql)
	}
	return newRows(ctx, s, &page), nil
}

// QueryRow runs a statement for its first row. Scan returns sql.ErrNoRows when there is none.
func (s statements) QueryRow(ctx context.Context, sql string, args ...any) *Row {
	rows, err := s.Query(ctx, sql, args...)
	return &Row{rows: rows, err: err}
}

func (s statements) call(ctx context.Context, method abi.Method, request, response proto.Message) error {
	return call(ctx, s.client, method, request, response)
}

// Tx is a transaction. Its statements run one after the other; rows must be read to the end or closed before
// the next statement. It holds one connection, and is rolled back 30 s after its beginning, also while it is
// in use. Not safe for concurrent use.
type Tx struct{ statements }

// InTx runs f in a transaction: committed when f returns nil, rolled back when it returns an error or
// panics. Its error is f's, or Begin's or Commit's.
func (db *DB) InTx(ctx context.Context, f func(tx *Tx) error) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed { // the caller's context may be what ended f
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	err = tx.Commit(ctx)
	committed = err == nil // a commit that the host never saw still holds its connection
	return err
}

// Begin begins a transaction that the caller must end with Commit or Rollback. InTx does that by itself.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	var begun abi.BeginResponse
	if err := db.open(ctx, abi.Method_METHOD_BEGIN, &abi.BeginRequest{}, &begun); err != nil {
		return nil, err
	}
	return &Tx{statements{client: db.client, transaction: begun.GetTransaction()}}, nil
}

// Commit commits the transaction. After a failed statement it returns ErrTransactionEnded, and nothing was
// committed. After any other error it is unknown whether it was committed. Rollback may follow in each case.
func (tx *Tx) Commit(ctx context.Context) error {
	return tx.call(ctx, abi.Method_METHOD_COMMIT, &abi.CommitRequest{Transaction: tx.transaction},
		&abi.CommitResponse{})
}

// Rollback undoes what the transaction has done.
func (tx *Tx) Rollback(ctx context.Context) error {
	return tx.call(ctx, abi.Method_METHOD_ROLLBACK, &abi.RollbackRequest{Transaction: tx.transaction},
		&abi.RollbackResponse{})
}
