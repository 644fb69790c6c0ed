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

// run executes a file inside tx. The file goes through EXECUTE of a DO block, where PostgreSQL refuses every statement that would
// begin or end a transaction, also from a procedure: a file that says COMMIT fails, and all that it did before is rolled back. The
// price: COPY FROM STDIN and SELECT INTO are refused too (CREATE TABLE AS does the latter's work).
//
// It begins with its own schema as search_path, whatever an earlier file has left in the session. After an
// error the transaction can only be rolled back; the error knows the place in the file, if it can be found.
func run(ctx context.Context, tx pgx.Tx, schema string, sql []byte) error {
	if at := bytes.IndexByte(sql, 0); at >= 0 { // PostgreSQL cannot be told of it
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
	_, err := tx.Exec(ctx, "SET LOCAL search_path = "+pgx.Identifier{schema}.Sanitize())
	return err
}

func execute(ctx context.Context, tx pgx.Tx, sql string) error {
	outer, inner := "$narthex_"+rand.Text()+"$", "$narthex_"+rand.Text()+"$" // no file can know them
	_, err := tx.Exec(ctx, "DO "+outer+" BEGIN EXECUTE "+inner+sql+inner+"; END "+outer)
	return err
}
