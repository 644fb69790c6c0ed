package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// statements is the interface that a pool and a transaction share.
type statements interface {
	Exec(ctx context.Context, sql string, args ...any) (rowsAffected int64, err error)
	Query(ctx context.Context, sql string, args ...any) (*sdk.Rows, error)
}

// conn is a connection of database/sql, which lets one goroutine at a time use it.
type conn struct {
	db *sdk.DB
	tx *sdk.Tx // nil: none
}

var (
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.ExecerContext      = (*conn)(nil)
	_ driver.QueryerContext     = (*conn)(nil)
	_ driver.NamedValueChecker  = (*conn)(nil)
	_ driver.Pinger             = (*conn)(nil)
)

func (c *conn) statements() statements {
	if c.tx != nil {
		return c.tx
	}
	return c.db
}

// Ping runs an empty statement.
func (c *conn) Ping(ctx context.Context) error {
	_, err := c.statements().Exec(ctx, `SELECT`)
	return err
}

// ExecContext runs a statement and returns the number of affected rows.
func (c *conn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	affected, err := c.statements().Exec(ctx, query, plain(args)...)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(affected), nil
}

// QueryContext runs a statement and returns its rows.
func (c *conn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	found, err := c.statements().Query(ctx, query, plain(args)...)
	if err != nil {
		return nil, err
	}
	return &rows{found: found}, nil
}

func plain(args []driver.NamedValue) []any {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	return values
}

// CheckNamedValue accepts the types that PostgreSQL supports beyond database/sql's, which handles the rest.
func (c *conn) CheckNamedValue(arg *driver.NamedValue) error {
	if arg.Name != "" {
		return errNamed
	}
	switch arg.Value.(type) {
	case []string, []int64:
		return nil
	}
	return driver.ErrSkip
}

// Prepare keeps the statement's text. Nothing is sent.
func (c *conn) Prepare(query string) (driver.Stmt, error) { return &stmt{c, query}, nil }

// PrepareContext is Prepare.
func (c *conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return c.Prepare(query)
}

// Begin begins a transaction with the database's default options.
func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

// BeginTx begins a transaction.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	mode, err := modeOf(options)
	if err != nil {
		return nil, err
	}
	if c.tx, err = c.db.Begin(ctx); err != nil {
		c.tx = nil
		return nil, err
	}
	if mode != "" {
		if _, err := c.tx.Exec(ctx, "SET TRANSACTION "+mode); err != nil {
			_ = (*tx)(c).Rollback()
			return nil, err
		}
	}
	return (*tx)(c), nil
}

func modeOf(options driver.TxOptions) (mode string, err error) {
	switch level := sql.IsolationLevel(options.Isolation); level {
	case sql.LevelDefault:
	case sql.LevelReadUncommitted, sql.LevelReadCommitted:
		mode = "ISOLATION LEVEL READ COMMITTED "
	case sql.LevelRepeatableRead, sql.LevelSnapshot:
		mode = "ISOLATION LEVEL REPEATABLE READ "
	case sql.LevelSerializable:
		mode = "ISOLATION LEVEL SERIALIZABLE "
	default:
		return "", fmt.Errorf("sqldb: PostgreSQL has no isolation level %s", level)
	}
	if options.ReadOnly {
		mode += "READ ONLY"
	}
	return mode, nil
}

// Close rolls back a transaction that was not ended.
func (c *conn) Close() error {
	if c.tx == nil {
		return nil
	}
	return (*tx)(c).Rollback()
}

// tx is a conn with a transaction.
type tx conn

// Commit commits the transaction. The platform's connection is released even when that fails.
func (t *tx) Commit() error {
	ending := t.tx
	t.tx = nil
	err := ending.Commit(context.Background())
	if err != nil {
		_ = ending.Rollback(context.Background())
	}
	return err
}

// Rollback rolls the transaction back.
func (t *tx) Rollback() error {
	ending := t.tx
	t.tx = nil
	return ending.Rollback(context.Background())
}

// stmt is a prepared statement, which is only its text.
type stmt struct {
	conn  *conn
	query string
}

var (
	_ driver.StmtExecContext   = (*stmt)(nil)
	_ driver.StmtQueryContext  = (*stmt)(nil)
	_ driver.NamedValueChecker = (*stmt)(nil)
)

// Close does nothing.
func (s *stmt) Close() error { return nil }

// NumInput returns -1: PostgreSQL checks the number of parameters.
func (s *stmt) NumInput() int { return -1 }

// CheckNamedValue is that of the connection.
func (s *stmt) CheckNamedValue(arg *driver.NamedValue) error { return s.conn.CheckNamedValue(arg) }

// ExecContext runs the statement and returns the number of affected rows.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

// QueryContext runs the statement and returns its rows.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}

// Exec implements driver.Stmt. database/sql calls ExecContext instead.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), numbered(args))
}

// Query implements driver.Stmt. database/sql calls QueryContext instead.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), numbered(args))
}

func numbered(args []driver.Value) []driver.NamedValue {
	named := make([]driver.NamedValue, len(args))
	for i, value := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	return named
}
