package facade

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/database"
)

// Error is a stable code that a module sees.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes of the facade, besides abi.CodeDatabaseFailed and those of package storage.
const (
	ErrRequest             = Error("REQUEST_INVALID")
	ErrDatabaseUnavailable = Error("DATABASE_UNAVAILABLE") // no connection in time, a broken one, or a deadline
	ErrHostOverloaded      = Error(link.CodeOverloaded)    // the module's memory limit in the host is reached
	ErrDatabaseAbsent      = Error("DATABASE_NOT_DECLARED")
	// unknown, after its deadline, or ended by a statement of the module
	ErrTransactionEnded = Error("TRANSACTION_ENDED")
	ErrRowsEnded        = Error("ROWS_ENDED")
	// a statement on a transaction whose previous rows are neither read nor closed
	ErrRowsUnread = Error("ROWS_UNREAD")
	// a row over 1 MiB; a much larger one also ends the connection and its transaction
	ErrRowTooLarge      = Error("ROW_TOO_LARGE")
	ErrBatchTooLarge    = Error(link.CodeTooLarge) // its results are longer than a page of rows
	ErrSecretAbsent     = Error(abi.CodeSecretAbsent)
	ErrChannelUnknown   = Error("CHANNEL_UNKNOWN")
	ErrCapabilityAbsent = Error(abi.CodeCapabilityAbsent)
	ErrCapabilityFailed = Error(abi.CodeCapabilityFailed)
	ErrPermissionDenied = Error("PERMISSION_DENIED") // the manifest does not request it
	ErrLinkCapacity     = Error("LINK_CAPACITY")     // the module has its 50,000 live links
	ErrStore            = Error("STORE_UNAVAILABLE")
	ErrTooManyMails     = Error("TOO_MANY_REQUESTS") // over the module's own limit; nothing was sent
)

// messageBytes limits the part of PostgreSQL's error message that a module gets. A message may quote a whole
// value.
const messageBytes = 8 << 10

// databaseError returns the error that the module may see: PostgreSQL's error about the module's statement,
// and for every other failure only that it failed.
func databaseError(err error) error {
	if coded := Error(""); errors.As(err, &coded) {
		return coded
	}
	if tooLong := (*pgproto3.ExceededMaxBodyLenErr)(nil); errors.As(err, &tooLong) {
		return ErrRowTooLarge
	}
	said := (*pgconn.PgError)(nil)
	if wrong := (*database.ArgumentError)(nil); errors.As(err, &wrong) {
		said = &pgconn.PgError{Code: wrong.SQLState, Message: wrong.Message}
	} else if !errors.As(err, &said) {
		return ErrDatabaseUnavailable
	}
	message := strings.ToValidUTF8(cutText(said.Message, messageBytes), "\uFFFD")
	detail, err := proto.Marshal(&abi.DatabaseError{SqlState: said.Code, Constraint: said.ConstraintName,
		Message: message, Position: uint32(max(said.Position, 0))})
	if err != nil {
		return ErrDatabaseUnavailable
	}
	return &link.Failure{CodeText: abi.CodeDatabaseFailed, Detail: detail}
}
