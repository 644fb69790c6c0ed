package sdk

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Error is a stable code of the platform. Every call of the SDK returns one of the codes that its comment
// names, a *DatabaseError, or its context's error; compare with errors.Is. The text that is wrapped beside a
// code is meant for the author: do not send it in a response.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes that any call to the platform may return.
const (
	// ErrHostOverloaded: the platform already uses 64 MiB for this module. The call was not executed.
	ErrHostOverloaded = Error(link.CodeOverloaded)
	// ErrLinkLost: the platform has closed the connection to this process, which therefore ends. It is unknown
	// whether a call in progress was executed.
	ErrLinkLost = Error(link.ErrLost)
	// ErrMessageTooLarge: the call or its result is larger than 1.25 MiB. A call that is too large is not sent.
	ErrMessageTooLarge = Error(link.ErrTooLarge)
	// ErrMessageUnencodable: a text is not UTF-8, for example a part of a path. The call was not sent. A handler
	// that returns it responds 400, as for ErrRequestInvalid.
	ErrMessageUnencodable = Error(link.ErrUnencodable)
)

// The codes of DB, Tx and Rows, besides those of any call.
const (
	// ErrDatabaseUnavailable: no connection was free in time, or the connection broke. It is unknown whether the
	// statement was executed.
	ErrDatabaseUnavailable = Error("DATABASE_UNAVAILABLE")
	// ErrTransactionEnded: the transaction was rolled back because 30 s passed, a statement failed or the
	// connection broke; or the module itself ended it with an SQL statement.
	ErrTransactionEnded = Error("TRANSACTION_ENDED")
	// ErrRowsUnread: the rows of the transaction's previous query are neither read to the end nor closed.
	ErrRowsUnread = Error("ROWS_UNREAD")
	// ErrRowsEnded: the rows were not read for 30 s.
	ErrRowsEnded = Error("ROWS_ENDED")
	// ErrRowTooLarge: a row is larger than 1 MiB. A much larger row also ends its transaction.
	ErrRowTooLarge = Error("ROW_TOO_LARGE")
)

// ErrPrincipalUnresolved: the platform could not read the principal's permissions.
const ErrPrincipalUnresolved = Error("PRINCIPAL_RESOLUTION_FAILED")

// DatabaseError is an error that PostgreSQL returned for a statement.
type DatabaseError struct {
	SQLState   string // for example "23505", a unique violation
	Constraint string // "" unless a constraint was violated
	Message    string // may contain values: never send it in a response
	Position   string // in the statement: "line 2, column 8"; "": PostgreSQL named none

	character int // from 1; 0: none
}

// Error returns PostgreSQL's message with the SQLSTATE and the position in the statement.
func (e *DatabaseError) Error() string {
	text := e.Message + " (SQLSTATE " + e.SQLState + ")"
	if e.Position != "" {
		text += " at " + e.Position + " of the statement"
	}
	return text
}

// withPosition fills in the line and column of a DatabaseError's position in the statement.
func withPosition(err error, statement string) error {
	said := (*DatabaseError)(nil)
	if !errors.As(err, &said) {
		return err
	}
	characters := []rune(statement)
	if n := said.character; n > 0 && n <= len(characters) {
		before := string(characters[:n-1])
		line := before[strings.LastIndexByte(before, '\n')+1:]
		said.Position = fmt.Sprintf("line %d, column %d", 1+strings.Count(before, "\n"),
			1+utf8.RuneCountInString(line))
	}
	return err
}

// BrokenConstraint returns the name of the constraint that a statement violated; "" for every other error.
func BrokenConstraint(err error) string {
	if said := (*DatabaseError)(nil); errors.As(err, &said) {
		return said.Constraint
	}
	return ""
}

// platformError converts an error of the link to one of the SDK, so that no type of the link is exposed.
func platformError(err error) error {
	if failure := (*link.Failure)(nil); errors.As(err, &failure) {
		return failureError(failure.Code(), failure.Detail)
	}
	if ended := link.Error(""); errors.As(err, &ended) {
		return Error(ended)
	}
	return err
}

func failureError(code string, detail []byte) error {
	var said abi.DatabaseError
	if code == abi.CodeDatabaseFailed && proto.Unmarshal(detail, &said) == nil {
		return &DatabaseError{SQLState: said.GetSqlState(), Constraint: said.GetConstraint(),
			Message: said.GetMessage(), character: int(said.GetPosition())}
	}
	return Error(code)
}
