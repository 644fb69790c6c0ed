package facade

import (
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/database"
)

// errCopy returns the error that PostgreSQL would return if it did not support COPY.
func errCopy() error {
	return databaseError(&pgconn.PgError{Code: "0A000",
		Message: "COPY is not available to modules; use INSERT ... SELECT unnest($1)"})
}

// isCopy reports whether a statement is COPY. It is the only statement in which the server waits for more
// data from its client. A module cannot send that data, so COPY would occupy the connection until its
// deadline.
func isCopy(sql string) bool { return strings.EqualFold(database.FirstWord(sql), "copy") }
