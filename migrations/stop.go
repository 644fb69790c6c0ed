package migrations

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Stop is the place where a file failed and the server's message. Both may contain data, so a Stop may be
// shown on the operator's terminal but must never be logged.
type Stop struct {
	Line      string // "core" or a module's id
	File      string // 0012_seats.sql
	At        int    // line of the file, from 1; 0: unknown
	Statement string // "": unknown
	Message   string
}

// Stopped returns the place of an ErrFailed, or false for every other error.
func Stopped(err error) (Stop, bool) {
	var f *failure
	var refused *pgconn.PgError
	if !errors.As(err, &f) || f.file == nil || !errors.Is(err, ErrFailed) {
		return Stop{}, false
	}
	stop := Stop{Line: f.line, File: f.file.name()}
	var at *stopped
	switch {
	case errors.As(f.cause, &at):
		stop.At, stop.Statement, stop.Message = at.line, at.statement, at.message
	case errors.As(f.cause, &refused): // at the end of the transaction
		stop.Message = refused.Message
	}
	return stop, true
}

// stopped is a file's error with its place. It prints the same as its cause.
type stopped struct {
	cause     error
	line      int
	statement string
	message   string
}

func (s *stopped) Error() string { return s.cause.Error() }

func (s *stopped) Unwrap() error { return s.cause }

// stoppedAt makes the error of a file that failed at a byte; -1 when the byte is unknown.
func stoppedAt(cause error, message string, sql []byte, at int) error {
	s := &stopped{cause: cause, message: message}
	if at < 0 {
		return s
	}
	s.line = 1 + bytes.Count(sql[:at], []byte("\n"))
	for _, p := range split(string(sql)) {
		if p.at <= at {
			s.statement = p.text
		}
	}
	return s
}

// longestSearch limits the search for the failed statement: a file that ran longer before it failed is not
// run again, because the search takes just as long.
const longestSearch = time.Minute

// locate returns the byte of the file at which PostgreSQL refused it, -1 when it cannot be found. The file is
// sent to the server as one text. The server reports a position for a syntax error, but none for an error
// while the file ran. Then locate runs the statements again one by one, in the transaction that is about to
// be rolled back, until one fails with the same code.
func locate(ctx context.Context, tx pgx.Tx, schema string, sql []byte, refused *pgconn.PgError,
	took time.Duration) int {
	if at, found := position(refused, string(sql)); found {
		return at
	}
	if took > longestSearch {
		return -1
	}
	found := -1
	_ = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // the caller already has the error
		if err := enter(ctx, tx, schema); err != nil {
			return err
		}
		for _, p := range split(string(sql)) {
			err := execute(ctx, tx, p.text)
			var again *pgconn.PgError
			switch {
			case err == nil:
				continue
			case errors.As(err, &again) && again.Code == refused.Code:
				at, _ := position(again, p.text)
				found = p.at + at
			}
			return err
		}
		return errNotFound
	})
	return found
}

var errNotFound = errors.New("every statement by itself succeeds")

// position returns the byte of sql that the server's error refers to; false when it refers to none or to
// another text.
func position(refused *pgconn.PgError, sql string) (int, bool) {
	if refused.InternalQuery != sql || refused.InternalPosition < 1 {
		return 0, false
	}
	left := int(refused.InternalPosition) // in characters
	for at := range sql {
		if left--; left == 0 {
			return at, true
		}
	}
	return len(strings.TrimRight(sql, " \t\r\n")), true // at the end of the input
}
