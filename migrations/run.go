package migrations

import (
	"bytes"
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5"
)

// run executes a file inside tx. The file goes through EXECUTE of a DO block, where PostgreSQL refuses every statement that would
// begin or end a transaction, also from a procedure: a file that says COMMIT fails, and all that it did before is rolled back. The
// price: COPY FROM STDIN and SELECT INTO are refused too (CREATE TABLE AS does the latter's work).
//
// It begins with its own schema as search_path, whatever an earlier file has left in the session.
func run(ctx context.Context, tx pgx.Tx, schema string, sql []byte) error {
	if bytes.IndexByte(sql, 0) >= 0 {
		return ErrFailed // PostgreSQL cannot be told of it
	}
	if _, err := tx.Exec(ctx, "SET LOCAL search_path = "+pgx.Identifier{schema}.Sanitize()); err != nil {
		return err
	}
	outer, inner := "$narthex_"+rand.Text()+"$", "$narthex_"+rand.Text()+"$" // no file can know them
	_, err := tx.Exec(ctx, "DO "+outer+" BEGIN EXECUTE "+inner+string(sql)+inner+"; END "+outer)
	return err
}
