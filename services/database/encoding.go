package database

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

// encodingError is the failure of a session in a database whose encoding is not UTF8. It names the encoding,
// which is one of PostgreSQL's own words.
type encodingError struct{ encoding string }

func (e encodingError) Error() string {
	return ErrEncodingUnsupported.Code() + ": The encoding of the database is " + e.encoding +
		", which cannot hold every name; the platform needs UTF8. Let an administrator of the database make " +
		"another one, and name it in DATABASE_URL: CREATE DATABASE name OWNER user ENCODING 'UTF8' LOCALE 'C' " +
		"TEMPLATE template0;"
}

// Code returns the stable code.
func (e encodingError) Code() string { return ErrEncodingUnsupported.Code() }

func (e encodingError) Is(target error) bool { return target == ErrEncodingUnsupported }

// checkEncoding reads what the server has said when the session began. A pooler that does not pass it on is
// not refused.
func checkEncoding(_ context.Context, conn *pgconn.PgConn) error {
	if encoding := conn.ParameterStatus("server_encoding"); encoding != "" && encoding != "UTF8" {
		return encodingError{encoding}
	}
	return nil
}
