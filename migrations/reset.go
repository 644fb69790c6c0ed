package migrations

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Reset drops a module's schema with all that is in it and forgets which of its files were applied, so that
// the next Apply begins anew. It is for development, where an author edits a file that was applied. A module
// that has nothing is no error. Errors: ErrUnreachable, ErrFailed, ErrFiles for what is no module's id.
func Reset(ctx context.Context, connect *pgx.ConnConfig, module string) error {
	if module == CoreLine || !moduleID.MatchString(module) {
		return at(ErrFiles, module)
	}
	m := migrator{options: Options{Connect: connect}}
	conn, err := pgx.ConnectConfig(ctx, m.config(""))
	if err != nil {
		return fail(ErrUnreachable, err)
	}
	defer closeConn(conn)
	exists, err := ledgerExists(ctx, conn)
	if err != nil || !exists {
		return coded(module, err)
	}
	return coded(module, locked(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+pgx.Identifier{Schema(module)}.Sanitize()+" CASCADE"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM core.migration WHERE line = $1`, module)
		return err
	}))
}

// Edited returns the line whose files are not those that were applied, "core" or a module's id; "" for every
// other error.
func Edited(err error) string {
	var f *failure
	if errors.As(err, &f) && (f.code == ErrHistoryChanged || f.code == ErrDowngrade) {
		return f.line
	}
	return ""
}
