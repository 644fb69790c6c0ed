package migrations

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Querier reads the ledger. It is a connection, a pool or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// once makes a query take one round trip. A prepared statement takes two on its first use, and these queries
// run once on a connection.
const once = pgx.QueryExecModeExec

// ledgerExists reports whether this database was ever migrated. Its error is ErrRestoreUnfinished while a
// backup is being restored, and after a restore that was killed.
func ledgerExists(ctx context.Context, q Querier) (bool, error) {
	rows, err := q.Query(ctx, `
		SELECT to_regclass('core.migration') IS NOT NULL AS exists,
		       to_regnamespace('`+restoreSchema+`') IS NOT NULL
		           AND coalesce(current_setting('`+restoreSetting+`', true), '') <> 'on' AS restoring`, once)
	if err != nil {
		return false, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[struct{ Exists, Restoring bool }])
	if err == nil && found.Restoring {
		return false, ErrRestoreUnfinished
	}
	return found.Exists, err
}

// ensureLedger creates schema core and the ledger. Before they exist there is no table to lock. So concurrent
// runs conflict on the catalog's unique indexes, and the losing runs check again.
func ensureLedger(ctx context.Context, conn *pgx.Conn) error {
	for {
		exists, err := ledgerExists(ctx, conn)
		if exists || err != nil {
			return coded(CoreLine, err)
		}
		_, err = conn.Exec(ctx, `
			CREATE SCHEMA IF NOT EXISTS core;
			CREATE TABLE core.migration (
			    line       text        NOT NULL,
			    version    integer     NOT NULL,
			    name       text        NOT NULL,
			    checksum   text        NOT NULL, -- SHA-256 of the file's bytes, hexadecimal
			    state      text        NOT NULL CHECK (state IN ('applying', 'applied')),
			    applied_at timestamptz NOT NULL DEFAULT now(),
			    PRIMARY KEY (line, version)
			);`)
		if !lostRace(err) {
			return coded(CoreLine, err)
		}
	}
}

// lostRace reports whether another session has just created the same object: IF NOT EXISTS checks before the
// catalog's unique indexes decide.
func lostRace(err error) bool {
	switch sqlState(err) {
	// unique_violation, duplicate schema, table, object (a table's row type)
	case "23505", "42P06", "42P07", "42710":
		return true
	}
	return false
}

// unlimited lets a migration, or the wait for another run's, take as long as it takes. It is set for one
// transaction, because behind a transaction pooler others get the session.
const unlimited = `SET LOCAL statement_timeout = 0`

// locked runs do in a transaction in which no other migrator reads or writes the ledger. The transaction is
// read committed, so that it sees what the previous holder of the lock wrote.
func locked(ctx context.Context, conn *pgx.Conn, do func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, unlimited+`; LOCK TABLE core.migration IN SHARE ROW EXCLUSIVE MODE`)
		if err != nil {
			return err
		}
		return do(tx)
	})
}

const selectLedger = `
SELECT line, version, name, checksum, state = 'applied', applied_at
FROM core.migration
ORDER BY line, version`

// histories reads the whole ledger, by line, in the order of versions.
func histories(ctx context.Context, q Querier) (map[string][]entry, error) {
	rows, err := q.Query(ctx, selectLedger, once)
	if err != nil {
		return nil, err
	}
	return collectHistories(rows)
}

func collectHistories(rows pgx.Rows) (map[string][]entry, error) {
	read := make(map[string][]entry)
	var line string
	var row entry
	_, err := pgx.ForEachRow(rows, []any{&line, &row.version, &row.name, &row.checksum, &row.applied, &row.at},
		func() error {
			read[line] = append(read[line], row)
			return nil
		})
	return read, err
}

// record stores a file's state in the ledger.
func record(ctx context.Context, tx pgx.Tx, line string, file File, state string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO core.migration (line, version, name, checksum, state)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (line, version) DO UPDATE
		SET name = excluded.name, checksum = excluded.checksum, state = excluded.state,
		    applied_at = excluded.applied_at`,
		line, file.Version, file.Name, file.checksum(), state)
	return err
}
