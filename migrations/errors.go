package migrations

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Error is a stable code that callers may see.
type Error string

// The codes (docs/reference/error-codes.md). services/database also has DATABASE_UNREACHABLE and
// DATABASE_VERSION_UNSUPPORTED, and refuses sessions with DATABASE_ENCODING_UNSUPPORTED.
const (
	ErrUnreachable        = Error("DATABASE_UNREACHABLE")
	ErrVersionUnsupported = Error("DATABASE_VERSION_UNSUPPORTED")
	// ErrSchemaMissing: the database has no Core schema.
	ErrSchemaMissing = Error("SCHEMA_MISSING")
	// ErrSchemaOutdated: a file of this installation has not been applied, or a module has no database role yet.
	ErrSchemaOutdated = Error("SCHEMA_OUTDATED")
	// ErrHistoryChanged: an applied file has another content or name, or is missing between others.
	ErrHistoryChanged = Error("MIGRATION_HISTORY_CHANGED")
	// ErrDowngrade: the database is newer than the files.
	ErrDowngrade = Error("MIGRATION_DOWNGRADE")
	// ErrFailed: a file failed, and all its changes were rolled back.
	ErrFailed = Error("MIGRATION_FAILED")
	// ErrFiles: a line's files are not NNNN_name.sql from 0001 on without gaps.
	ErrFiles = Error("MIGRATION_FILES_INVALID")
	// ErrRoleUnavailable: a module needs a database role and the platform may not create one. Statements returns
	// the SQL for an administrator.
	ErrRoleUnavailable = Error("MODULE_DATABASE_ROLE_UNAVAILABLE")
	// ErrRestoreUnfinished: a backup is being restored into the database, or its restore was killed.
	ErrRestoreUnfinished = Error("BACKUP_INCOMPLETE")
)

// Error returns the code and a sentence that says what to do.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

func (e Error) sentence() string {
	switch e {
	case ErrUnreachable:
		return "The database did not accept a session; check DATABASE_URL, SERVICE_DATABASE_TLS_MODE, " +
			"SERVICE_DATABASE_CA and the server's log."
	case ErrVersionUnsupported:
		return "The database server must be PostgreSQL 15 or newer."
	case ErrSchemaMissing:
		return "The database is empty; run migrations:apply."
	case ErrSchemaOutdated:
		return "The database is older than this installation; run migrations:apply."
	case ErrHistoryChanged:
		return "A migration that was applied has changed or is missing; install the original files again."
	case ErrDowngrade:
		return "The database has migrations that this installation does not know; install the newer version " +
			"again, or restore a backup."
	case ErrFailed:
		return "A migration failed; nothing of it was kept."
	case ErrFiles:
		return "Migration files must be named 0001_name.sql, 0002_name.sql and so on, without a gap."
	case ErrRestoreUnfinished:
		return "A backup is being restored into this database, or its restore was cut; run backup:restore again " +
			"with the same file."
	case ErrRoleUnavailable:
		return "The database user may not create roles. Let an administrator of the database run the SQL that " +
			"migrations:apply prints " +
			"on standard output, then run migrations:apply again."
	}
	return "The migration failed."
}

// failure prints its code, its sentence and, if known, the line, the file and the SQLSTATE. It never prints
// the server's message, which may quote data (Stopped returns it). errors.Is and errors.As reach the cause.
type failure struct {
	code  Error
	where string
	cause error
	line  string
	file  *File // nil: the error is not about a file
}

func fail(code Error, cause error) error { return &failure{code: code, cause: cause} }

func (f *failure) Error() string {
	if f.where == "" {
		return f.code.Error()
	}
	return f.code.Error() + " (" + f.where + ")"
}

func (f *failure) Code() string { return f.code.Code() }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.code}
	}
	return []error{f.code, f.cause}
}

// noSession adds a code to the error of a session that could not be opened. The configuration may have
// refused the session with a code of its own.
func noSession(err error) error {
	var known interface {
		error
		Code() string
	}
	if errors.As(err, &known) {
		return known
	}
	return fail(ErrUnreachable, err)
}

// at makes an error about a line.
func at(code Error, line string) error { return &failure{code: code, where: line, line: line} }

// atFile makes an error about a file, with the SQLSTATE of the cause.
func atFile(code Error, line string, file File, cause error) error {
	where := fmt.Sprintf("%s %04d_%s", line, file.Version, file.Name)
	if state := sqlState(cause); state != "" {
		where += ", SQLSTATE " + state
	}
	return &failure{code: code, where: where, cause: cause, line: line, file: &file}
}

// coded adds a code to a driver's error that is not about a file: ErrUnreachable when there is no session,
// ErrFailed with the line for anything else that the server refuses.
func coded(line string, err error) error {
	var known interface{ Code() string }
	if err == nil || errors.As(err, &known) {
		return err
	}
	state := sqlState(err)
	if state == "" || state[:2] == "08" || state[:2] == "28" || state == "3D000" || state[:2] == "57" {
		return fail(ErrUnreachable, err)
	}
	return &failure{code: ErrFailed, where: line + ", SQLSTATE " + state, cause: err}
}

func sqlState(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && len(refused.Code) == 5 {
		return refused.Code
	}
	return ""
}
