package migrations

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// run executes a file inside tx. The file is executed by EXECUTE in a DO block, where PostgreSQL refuses
// every statement that would begin or end a transaction, also inside a procedure. So a file with COMMIT
// fails, and everything that it did before is rolled back. COPY FROM STDIN and SELECT INTO are refused for
// the same reason (CREATE TABLE AS does the same as SELECT INTO).
//
// The file starts with its own schema as search_path, whatever an earlier file has set. After an error the
// transaction can only be rolled back. The error has the place in the file, if it can be found.
func run(ctx context.Context, tx pgx.Tx, schema string, sql []byte) error {
	if at := bytes.IndexByte(sql, 0); at >= 0 { // the protocol cannot transfer it
		return stoppedAt(ErrFailed, "the file holds a NUL character", sql, at)
	}
	began := time.Now()
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		if err := enter(ctx, tx, schema); err != nil {
			return err
		}
		return execute(ctx, tx, string(sql))
	})
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return err
	}
	return stoppedAt(err, refused.Message, sql, locate(ctx, tx, schema, sql, refused, time.Since(began)))
}

func enter(ctx context.Context, tx pgx.Tx, schema string) error {
	_, err := tx.Exec(ctx, "SET LOCAL search_path = "+quote(schema))
	return err
}

func execute(ctx context.Context, tx pgx.Tx, sql string) error {
	// random, so that no file can contain them
	outer, inner := "$narthex_"+rand.Text()+"$", "$narthex_"+rand.Text()+"$"
	_, err := tx.Exec(ctx, "DO "+outer+" BEGIN EXECUTE "+inner+sql+inner+"; END "+outer)
	return err
}
