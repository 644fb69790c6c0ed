package database

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// sessionSettings are the settings of a session as SET takes them: name = value.
type sessionSettings []string

func statementTimeout(d time.Duration) string { return "statement_timeout = " + milliseconds(d) }

func idleTransactionTimeout(d time.Duration) string {
	return "idle_in_transaction_session_timeout = " + milliseconds(d)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// pageCosts: a page costs little compared with a row, because the database of a congregation is in memory.
// With the values of PostgreSQL, which are for disks, a look-up by a key would read a small table as a whole.
func pageCosts() []string { return []string{"seq_page_cost = 0.1", "random_page_cost = 0.1"} }

// moduleSettings are those of a module's sessions. They include what a session has from its start: behind a
// pooler a reset would lose it.
func moduleSettings(role ModuleRole) sessionSettings {
	return append(pageCosts(),
		"search_path = "+pgx.Identifier{role.Schema}.Sanitize(),
		statementTimeout(deadlines.ModuleStatement),
		idleTransactionTimeout(deadlines.ModuleIdleSession),
		"timezone = 'UTC'",
		"client_encoding = 'UTF8'",
		"application_name = '"+strings.ReplaceAll(moduleApplication(role), "'", "''")+"'",
	)
}

func moduleApplication(role ModuleRole) string { return "narthex " + role.ModuleID }

// sql returns the statements that set them, joined by semicolons.
func (s sessionSettings) sql() string { return "SET " + strings.Join(s, "; SET ") }

// local returns the statements that set them for one transaction.
func (s sessionSettings) local() string { return "SET LOCAL " + strings.Join(s, "; SET LOCAL ") }

// set sets them in a new session.
func (s sessionSettings) set(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, s.sql()).Close()
}
