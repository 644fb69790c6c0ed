package migrations

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Reset drops a module's schema with everything in it and deletes the module's ledger rows, so that the
// next Apply starts from its first file. It is for development, where an author edits an applied file. It
// does nothing for a module without a schema. Errors: ErrUnreachable, ErrFailed, ErrFiles for anything that
// is not a module id.
func Reset(ctx context.Context, connect *pgx.ConnConfig, module string) error {
	if module == CoreLine || !moduleID.MatchString(module) {
		return at(ErrFiles, module)
	}
	conn, err := pgx.ConnectConfig(ctx, connect)
	if err != nil {
		return noSession(err)
	}
	defer closeConn(conn)
	exists, err := ledgerExists(ctx, conn)
	if err != nil || !exists {
		return coded(module, err)
	}
	return coded(module, locked(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(Schema(module))+" CASCADE")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM core.migration WHERE line = $1`, module)
		return err
	}))
}

// Edited returns the line whose files differ from the applied ones, "core" or a module's id; "" for every
// other error.
func Edited(err error) string {
	var f *failure
	if errors.As(err, &f) && (f.code == ErrHistoryChanged || f.code == ErrDowngrade) {
		return f.line
	}
	return ""
}
