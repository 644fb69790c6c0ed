package database

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Reading is a statement without parameters, and the function that takes its rows.
type Reading struct {
	sql  string
	take func(pgx.Rows) error
}

// NewReading makes a Reading. take must read all rows or close them; the functions of pgx that collect rows
// do.
func NewReading(sql string, take func(pgx.Rows) error) Reading { return Reading{sql, take} }

// CheckAndRead is Check, and runs the readings in the same round trip. read is false if one of them failed or
// would have waited for a lock: some may have taken their rows then. The caller repeats each alone, which
// returns the error.
func (d *Database) CheckAndRead(ctx context.Context, readings ...Reading) (read bool, err error) {
	d.learnTimelines(ctx)
	conn, err := d.core.Acquire(ctx)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	err = readTogether(ctx, conn.Conn(), readings)
	conn.Release()
	if err == nil {
		return true, nil
	}
	return false, d.Check(ctx)
}

// A migration in progress locks tables. Then the start must report that the schema is outdated, not wait.
const limitLocks = `, set_config('lock_timeout', '100ms', true)`

var errNoResult = errors.New("a statement has no result")

// readTogether checks the server and runs the readings in one message of the simple protocol, which
// PostgreSQL executes as one transaction.
func readTogether(ctx context.Context, conn *pgx.Conn, readings []Reading) error {
	readings = append([]Reading{{selectServer + limitLocks, takeServer}}, readings...)
	statements := make([]string, len(readings))
	for i, reading := range readings {
		statements[i] = reading.sql
	}
	results := conn.PgConn().Exec(ctx, strings.Join(statements, ";"))
	for _, reading := range readings {
		if !results.NextResult() {
			return errors.Join(errNoResult, results.Close())
		}
		rows := pgx.RowsFromResultReader(conn.TypeMap(), results.ResultReader())
		if err := reading.take(rows); err != nil {
			return errors.Join(err, results.Close())
		}
	}
	return results.Close()
}

func takeServer(rows pgx.Rows) error {
	var version, readOnly string
	_, err := pgx.ForEachRow(rows, []any{&version, &readOnly, nil}, func() error { return nil })
	if err != nil {
		return err
	}
	return verifyServer(version, readOnly)
}
