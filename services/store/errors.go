package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Error is a stable code. Its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// Is reports whether the target has the same code, such as httpapi.ErrStore.
func (e Error) Is(target error) bool {
	coded, ok := target.(interface{ Code() string })
	return ok && coded.Code() == string(e)
}

// ErrUnavailable: the database did not answer as expected.
const ErrUnavailable = Error("STORE_UNAVAILABLE")

// Coded adds STORE_UNAVAILABLE to a database error. An error that already has a code keeps it.
func Coded(err error) error {
	if decision := (interface{ Code() string })(nil); err == nil || errors.As(err, &decision) {
		return err
	}
	return Unavailable(err)
}

// Unavailable adds STORE_UNAVAILABLE to an error, whether or not it has a code.
func Unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// Cause is one word for why a store failed. The constants below are all causes.
type Cause string

// All causes (docs/operations/log.md).
const (
	Timeout       = Cause("timeout")
	Deadlock      = Cause("deadlock")
	Serialization = Cause("serialization")
	Connection    = Cause("connection")
	Shutdown      = Cause("shutdown")
	Limit         = Cause("limit")
	Other         = Cause("other")
)

// The errors of PostgreSQL after which a transaction is repeated (errcodes.txt of its sources).
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	idleInTransaction    = "25P03" // it ended the session before it read the next message
	lockNotAvailable     = "55P03" // it was not released within lock_timeout
)

func isRepeatable(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch refused.Code {
	case serializationFailure, deadlockDetected, idleInTransaction, lockNotAvailable:
		return true
	}
	return false
}

// CauseOf returns the word for an error of pgx, however it is wrapped.
func CauseOf(err error) Cause {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return causeOfServer(refused.Code)
	}
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		isNetwork && network.Timeout():
		return Timeout
	case isNetwork, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), isConnect(err),
		pgconn.SafeToRetry(err):
		return Connection
	}
	return Other
}

func isConnect(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok
}

// causeOfServer returns the word for a SQLSTATE.
func causeOfServer(state string) Cause {
	switch state {
	case deadlockDetected:
		return Deadlock
	case serializationFailure:
		return Serialization
	case idleInTransaction, lockNotAvailable, "57014": // the last is a statement's own timeout
		return Timeout
	case "57P01", "57P02", "57P03":
		return Shutdown
	}
	switch {
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "28"):
		return Connection
	case strings.HasPrefix(state, "53"), strings.HasPrefix(state, "54"):
		return Limit
	}
	return Other
}
