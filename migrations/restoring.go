package migrations

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// This schema exists while a restore is in progress, so that the platform does not start on an incomplete
// database.
const restoreSchema = "narthex_restore"

// restoreSetting is "on" in the restore's own sessions, which may use the incomplete database.
const restoreSetting = "narthex.restoring"

// WithinRestore returns the configuration of the restore's own connections.
func WithinRestore(connect *pgx.ConnConfig) *pgx.ConnConfig {
	return setting(connect, "SET "+restoreSetting+" = 'on'")
}

// BeginRestore marks the database as being restored from the named backup.
func BeginRestore(ctx context.Context, conn *pgx.Conn, backup string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "CREATE SCHEMA "+restoreSchema)
		if err == nil {
			_, err = tx.Exec(ctx, "CREATE TABLE "+restoreSchema+".backup AS SELECT $1::text AS name", backup)
		}
		return coded(CoreLine, err)
	})
}

// Restoring returns whether a restore has begun and not ended, and the name of its backup.
func Restoring(ctx context.Context, conn *pgx.Conn) (under bool, backup string, err error) {
	err = conn.QueryRow(ctx, `SELECT to_regclass('`+restoreSchema+`.backup') IS NOT NULL`).Scan(&under)
	if err == nil && under {
		err = conn.QueryRow(ctx, `SELECT name FROM `+restoreSchema+`.backup`).Scan(&backup)
	}
	return under, backup, coded(CoreLine, err)
}

// EndRestore removes the mark.
func EndRestore(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+restoreSchema+" CASCADE")
	return coded(CoreLine, err)
}
