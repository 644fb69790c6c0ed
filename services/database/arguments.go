package database

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ArgumentError means that the values do not fit the parameters of a statement. Nothing was executed.
type ArgumentError struct {
	SQLState string // that of PostgreSQL's own error for the same mistake
	Message  string // may contain the value
}

func (e *ArgumentError) Error() string { return e.Message }

// The SQLSTATEs of an ArgumentError, of class 07, dynamic SQL error.
const (
	stateArgumentCount = "07001"
	stateArgumentType  = "07006"
)

// build encodes the values for a described statement. Its error is an *ArgumentError.
func (c *ModuleConn) build(
	statement *pgconn.StatementDescription, args []any,
) (built pgx.ExtendedQueryBuilder, err error) {
	if wanted := len(statement.ParamOIDs); wanted != len(args) {
		return built, &ArgumentError{stateArgumentCount,
			fmt.Sprintf("the statement has %s, but it was called with %s; give one value for each of $1, $2, ...",
				count(wanted, "parameter"), count(len(args), "argument"))}
	}
	if err := built.Build(c.TypeMap(), statement, args); err != nil {
		index := 0
		_, _ = fmt.Sscanf(err.Error(), "failed to encode args[%d]", &index)
		if cause := errors.Unwrap(err); cause != nil {
			err = cause
		}
		return built, &ArgumentError{stateArgumentType, fmt.Sprintf("argument %d: %v", index+1, err)}
	}
	return built, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
