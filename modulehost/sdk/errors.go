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
// names, a *DatabaseError, or its context's error; compare with errors.Is. What is wrapped beside a code is
// for the author and belongs in no response.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes that any call to the platform may return.
const (
	// ErrHostOverloaded: the platform holds 64 MiB for this module already; nothing was done.
	ErrHostOverloaded = Error(link.CodeOverloaded)
	// ErrLinkLost: the platform has ended the connection to this process, which ends, too. Whether a call in
	// progress was served is unknown.
	ErrLinkLost = Error(link.ErrLost)
	// ErrMessageTooLarge: the call, or its result, is more than 1.25 MiB. A call was not sent.
	ErrMessageTooLarge = Error(link.ErrTooLarge)
	// ErrMessageUnencodable: a text is not UTF-8; nothing was sent.
	ErrMessageUnencodable = Error(link.ErrUnencodable)
)

// The codes of DB, Tx and Rows, beside those of any call.
const (
	// ErrDatabaseUnavailable: no connection was free in time, or one broke. Whether the statement was done is
	// unknown.
	ErrDatabaseUnavailable = Error("DATABASE_UNAVAILABLE")
	// ErrTransactionEnded: the transaction was rolled back, because 30 s passed, a statement failed or its
	// connection broke, or a statement of the module's own has ended it.
	ErrTransactionEnded = Error("TRANSACTION_ENDED")
	// ErrRowsUnread: the transaction's last rows are neither read to the end nor closed.
	ErrRowsUnread = Error("ROWS_UNREAD")
	// ErrRowsEnded: the rows were not read for 30 s.
	ErrRowsEnded = Error("ROWS_ENDED")
	// ErrRowTooLarge: a row has more than 1 MiB. Far more ends its transaction, too.
	ErrRowTooLarge = Error("ROW_TOO_LARGE")
)

// ErrPrincipalUnresolved: the platform could not read what the caller may do.
const ErrPrincipalUnresolved = Error("PRINCIPAL_RESOLUTION_FAILED")

// DatabaseError is what PostgreSQL said of a statement.
type DatabaseError struct {
	SQLState   string // "23505": unique violation
	Constraint string // "": none was broken
	Message    string // may quote values: not for a response
	Position   string // in the statement: "line 2, column 8"; "": PostgreSQL named none

	character int // from 1; 0: none
}

// Error is PostgreSQL's message with the SQLSTATE, and where in the statement that is.
func (e *DatabaseError) Error() string {
	text := e.Message + " (SQLSTATE " + e.SQLState + ")"
	if e.Position != "" {
		text += " at " + e.Position + " of the statement"
	}
	return text
}

// located adds to a DatabaseError where in the statement it is.
func located(err error, statement string) error {
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

// BrokenConstraint returns the name of the constraint that a statement broke; "" for every other error.
func BrokenConstraint(err error) string {
	if said := (*DatabaseError)(nil); errors.As(err, &said) {
		return said.Constraint
	}
	return ""
}

// platformError is what a call returns of an error of the link: no type of the link leaves the SDK.
func platformError(err error) error {
	if failure := (*link.Failure)(nil); errors.As(err, &failure) {
		var detail abi.DatabaseError
		if failure.Code() == abi.CodeDatabaseFailed && proto.Unmarshal(failure.Detail, &detail) == nil {
			return &DatabaseError{SQLState: detail.GetSqlState(), Constraint: detail.GetConstraint(),
				Message: detail.GetMessage(), character: int(detail.GetPosition())}
		}
		return Error(failure.Code())
	}
	if ended := link.Error(""); errors.As(err, &ended) {
		return Error(ended)
	}
	return err
}
