package database

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Begin begins a transaction.
func (c *ModuleConn) Begin(ctx context.Context) error {
	return c.PgConn().Exec(ctx, c.pool.begin).Close()
}

// Commit ends a transaction. committed is false if PostgreSQL has rolled it back, because a statement had
// failed.
//
// Behind a transaction pooler the session is another's after the end of the transaction, so the reset follows
// it in the same message. A failed COMMIT would prevent the reset, so what it checks is checked before it.
func (c *ModuleConn) Commit(ctx context.Context) (committed bool, err error) {
	if c.pool.pooled && c.PgConn().TxStatus() == 'T' {
		if err := c.PgConn().Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE").Close(); err != nil {
			_ = c.Rollback(ctx)
			return false, err
		}
	}
	results, err := c.PgConn().Exec(ctx, "COMMIT"+c.pool.after).ReadAll()
	if err != nil {
		return false, err
	}
	return results[0].CommandTag.String() != "ROLLBACK", nil
}

// Rollback ends a transaction without its changes.
func (c *ModuleConn) Rollback(ctx context.Context) error {
	return c.PgConn().Exec(ctx, "ROLLBACK"+c.pool.after).Close()
}

// alone calls run within a transaction, which ends when its rows are read: maybe later, by Settle.
func (c *ModuleConn) alone(ctx context.Context, run func() error) error {
	if err := c.Begin(ctx); err != nil {
		return err
	}
	err := run()
	switch {
	case c.IsClosed():
		return err
	case err != nil:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetWithin)
		defer cancel()
		_ = c.Rollback(ctx) // if it fails, Release closes the connection
		return err
	}
	return c.Settle(ctx)
}

// Settle commits what Run did outside a transaction of the caller, once the rows that it left unread are read
// or closed. Only behind a transaction pooler something is left to commit.
func (c *ModuleConn) Settle(ctx context.Context) error {
	if !c.pool.pooled || c.IsClosed() || c.PgConn().IsBusy() || c.PgConn().TxStatus() == 'I' {
		return nil
	}
	_, err := c.Commit(ctx)
	return err
}

// ending begin the statements that end a transaction, or prepare to.
var ending = []string{"commit", "end", "abort", "rollback", "prepare"}

// endsTransaction reports whether a statement would give the session to another connection before its reset.
func endsTransaction(sql string) bool {
	word := strings.ToLower(FirstWord(sql))
	toSavepoint := word == "rollback" && slices.Contains(strings.Fields(strings.ToLower(sql)), "to")
	return slices.Contains(ending, word) && !toSavepoint
}

// errEndsTransaction is PostgreSQL's error for a feature that it does not support.
func errEndsTransaction() error {
	return &pgconn.PgError{Code: "0A000", Message: "behind a transaction pooler a statement cannot end a " +
		"transaction or prepare a statement; use the functions of the SDK"}
}
