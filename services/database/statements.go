package database

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	keptStatements = 64       // in one session
	keptText       = 16 << 10 // the longest text of a kept statement, in bytes

	// A kept statement is charged with an estimate, because a session does not tell what it uses. With
	// PostgreSQL 15 a join of three tables used 73 KB, a join of statistics views 445 KB, and lists of thousands
	// of constants 76 to 330 bytes for each byte of the text.
	keptBytes        = 64 << 10
	keptBytesPerByte = 128

	seenStatements = 256
)

// Memory counts the memory of both sides that is used for a module.
type Memory interface {
	Reserve(n int) bool
	Release(n int)
}

// statements are those that a session keeps prepared, with their plans. pgx's cache has them; this bounds it.
// A statement is kept when it is run for the second time, so that one that is run once costs nothing, and
// only outside a transaction: there it can be planned anew when it no longer fits the tables.
type statements struct {
	memory  Memory // nil: not counted
	kept    map[string]struct{}
	charged int
	seen    map[uint64]struct{} // hashes of texts
	probed  bool                // the session has selectLeft
	unclean bool                // the next reset must also remove all statements
}

var textSeed = maphash.MakeSeed()

// keep reports whether a statement may be kept, and counts it.
func (s *statements) keep(sql string) bool {
	if len(sql) > keptText {
		return false
	}
	if _, found := s.kept[sql]; found {
		return true
	}
	if !s.sawBefore(maphash.String(textSeed, sql)) {
		return false
	}
	if len(s.kept) == keptStatements {
		s.unclean = true // makes room
		return false
	}
	cost := keptBytes + len(sql)*keptBytesPerByte
	if s.memory != nil && !s.memory.Reserve(cost) {
		return false
	}
	s.charged += cost
	if s.kept == nil {
		s.kept = make(map[string]struct{})
	}
	s.kept[strings.Clone(sql)] = struct{}{}
	return true
}

func (s *statements) sawBefore(text uint64) bool {
	if _, found := s.seen[text]; found {
		return true
	}
	if s.seen == nil || len(s.seen) == seenStatements {
		s.seen = make(map[uint64]struct{})
	}
	s.seen[text] = struct{}{}
	return false
}

// forget is for a session that has lost its statements, or has ended.
func (s *statements) forget() {
	if s.memory != nil {
		s.memory.Release(s.charged)
	}
	s.kept, s.charged, s.probed, s.unclean = nil, 0, false, false
}

// plainWords begin the statements that read or change rows. All others may change the session.
var plainWords = []string{"select", "insert", "update", "delete", "with", "values", "merge", "table", "("}

func isPlain(sql string) bool {
	word := FirstWord(sql)
	return slices.ContainsFunc(plainWords, func(plain string) bool { return strings.EqualFold(plain, word) })
}

// mostPlannings limits how often one call plans its statement, when tables change again and again.
const mostPlannings = 8

// Run runs one statement and calls read with its rows, which may keep them when it returns nil. A statement
// whose tables this or another process has changed since it was prepared is planned anew, and read is called
// again: PostgreSQL finds that out before the first row.
func (c *ModuleConn) Run(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
	if c.mayKeep(sql) {
		err := c.run(ctx, pgx.QueryExecModeCacheStatement, sql, args, read)
		if !isStale(err) || c.IsClosed() {
			return err
		}
	}
	for plannings := 1; ; plannings++ {
		err := c.run(ctx, pgx.QueryExecModeDescribeExec, sql, args, read)
		if !isChanged(err) || c.PgConn().TxStatus() != 'I' || plannings == mostPlannings {
			return err
		}
	}
}

func (c *ModuleConn) mayKeep(sql string) bool {
	if !isPlain(sql) {
		c.statements.unclean = true
		return false
	}
	return c.PgConn().TxStatus() == 'I' && c.statements.keep(sql)
}

// run never calls pgx's Exec: without arguments it uses the simple protocol, which allows several statements
// at once.
func (c *ModuleConn) run(
	ctx context.Context, mode pgx.QueryExecMode, sql string, args []any, read func(pgx.Rows) error,
) error {
	rows, err := c.Query(ctx, sql, append([]any{mode}, args...)...)
	if err != nil {
		return err
	}
	if err := read(rows); err != nil {
		rows.Close()
		return err
	}
	return nil
}

// isStale reports whether an error may come from a statement that was prepared for tables as they were, or
// that the module has removed from its session. Outside a transaction a statement that failed has done
// nothing, so it may be repeated.
func isStale(err error) bool {
	said := (*pgconn.PgError)(nil)
	return isChanged(err) ||
		errors.As(err, &said) && (said.Code == "26000" || strings.HasPrefix(said.Code, "42"))
}

// isChanged reports "cached plan must not change result type", whose code stands for much else. A server may
// translate the message, but not the name of the function that reports it.
func isChanged(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) && said.Code == "0A000" && said.Routine == "RevalidateCachedQuery"
}

// resetSession is DISCARD ALL without its DEALLOCATE ALL and DISCARD PLANS.
const resetSession = `CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; UNLISTEN *;
	SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES`

// selectLeft finds a statement that the module has prepared itself, which only a function of its schema can
// have done after plain statements. It looks for functions first, because listing the statements costs more.
const selectLeft = `
	SELECT FROM pg_catalog.pg_prepared_statement() AS s
	WHERE s.from_sql AND EXISTS (
		SELECT FROM pg_catalog.pg_namespace AS n
		JOIN pg_catalog.pg_depend AS d ON d.refobjid = n.oid
		WHERE n.nspname = pg_catalog.current_schema()
			AND d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
			AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)`

// reset removes everything that the session was used for, in one message: settings, role, locks,
// subscriptions, cursors, temporary tables, states of sequences. Kept statements and their plans stay, unless
// the session was used in a way that may have changed them.
func (c *ModuleConn) reset() bool {
	ctx, cancel := context.WithTimeout(context.Background(), resetWithin)
	defer cancel()
	if c.statements.unclean || len(c.statements.kept) == 0 {
		return c.resetAll(ctx)
	}
	if !c.statements.probed {
		if _, err := c.PgConn().Prepare(ctx, "narthex_left", selectLeft, nil); err != nil {
			return c.resetAll(ctx)
		}
		c.statements.probed = true
	}
	tag, err := c.Exec(ctx, resetSession+"; EXECUTE narthex_left", pgx.QueryExecModeSimpleProtocol)
	if err != nil || tag.RowsAffected() > 0 {
		return c.resetAll(ctx)
	}
	return true
}

// resetAll also removes the statements.
func (c *ModuleConn) resetAll(ctx context.Context) bool {
	if len(c.statements.kept) > 0 && c.DeallocateAll(ctx) != nil { // pgx's cache is emptied with it
		return false
	}
	c.statements.forget()
	_, err := c.Exec(ctx, "DISCARD ALL", pgx.QueryExecModeSimpleProtocol)
	return err == nil
}
