package database

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	keptStatements = 64       // in one session
	keptText       = 16 << 10 // the longest text of a kept statement, in bytes

	// keptCost is how much the statements of one session may cost PostgreSQL and the host together, in bytes. It
	// is an estimate, because a session does not tell what it uses. With PostgreSQL 15 a join of three tables
	// used 73 KB, a join of statistics views 445 KB, and lists of thousands of constants 76 to 330 bytes for
	// each byte of the text.
	keptCost         = 8 << 20
	keptBytes        = 64 << 10
	keptBytesPerByte = 128

	seenStatements = 256
)

// statements are those that a session keeps prepared, with their plans. A statement is kept when it is run
// for the second time, so that one that is run once costs nothing, and only outside a transaction: there it
// can be planned again when it no longer fits the tables.
type statements struct {
	kept    map[string]*pgconn.StatementDescription // by text; only with a name until it is prepared
	cost    int
	seen    map[uint64]struct{} // hashes of texts
	probed  bool                // the session has selectLeft
	unclean bool                // the next reset must also remove all statements
}

var textSeed = maphash.MakeSeed()

// keep returns a statement that may be kept; nil for all others.
func (s *statements) keep(sql string) *pgconn.StatementDescription {
	if len(sql) > keptText {
		return nil
	}
	if kept, found := s.kept[sql]; found {
		return kept
	}
	if !s.sawBefore(maphash.String(textSeed, sql)) {
		return nil
	}
	cost := keptBytes + len(sql)*keptBytesPerByte
	if len(s.kept) == keptStatements || s.cost+cost > keptCost {
		s.unclean = true // makes room
		return nil
	}
	s.cost += cost
	if s.kept == nil {
		s.kept = make(map[string]*pgconn.StatementDescription)
	}
	kept := &pgconn.StatementDescription{SQL: strings.Clone(sql)}
	kept.Name = "narthex_" + strconv.Itoa(len(s.kept))
	s.kept[kept.SQL] = kept
	return kept
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

// forget is for a session that has lost its statements.
func (s *statements) forget() { s.kept, s.cost, s.probed, s.unclean = nil, 0, false, false }

// plainWords begin the statements that read or change rows. All others may change the session.
var plainWords = []string{"select", "insert", "update", "delete", "with", "values", "merge", "table", "("}

// IsPlain reports whether a statement only reads or changes rows, as far as its first word tells.
func IsPlain(sql string) bool {
	word := FirstWord(sql)
	return slices.ContainsFunc(plainWords, func(plain string) bool { return strings.EqualFold(plain, word) })
}

// planning is how a statement is planned.
type planning int

const (
	planKept      planning = iota // maybe long ago
	planDescribed                 // described, then run
	planTogether                  // described, then parsed and run by one message, under one lock
)

// Run runs one statement and calls read with its rows, which may keep them when it returns nil. A statement
// whose tables this or another process has changed since it was prepared is planned again, and read is called
// again: PostgreSQL finds that out before the first row. All columns may come as text then.
func (c *ModuleConn) Run(
	ctx context.Context, sql string, args []any, read func(*pgconn.ResultReader) error,
) error {
	plain := IsPlain(sql)
	if !plain {
		if c.pool.pooled && endsTransaction(sql) {
			return errEndsTransaction()
		}
		c.statements.unclean = true
	}
	return c.planAgain(ctx, plain, func(how planning) error {
		statement, err := c.describe(ctx, sql, how == planKept)
		if err != nil {
			return err
		}
		built, err := c.build(statement, args)
		if err != nil {
			return err
		}
		var rows *pgconn.ResultReader
		switch {
		case how == planTogether:
			rows = c.PgConn().ExecParams(ctx, sql, built.ParamValues, statement.ParamOIDs, built.ParamFormats,
				nil)
		case c.pool.pooled: // the description is perhaps of another session
			rows = c.PgConn().ExecParams(ctx, sql, built.ParamValues, statement.ParamOIDs, built.ParamFormats,
				built.ResultFormats)
		default:
			rows = c.PgConn().ExecStatement(ctx, statement, built.ParamValues, built.ParamFormats,
				built.ResultFormats)
		}
		if err := read(rows); err != nil {
			_, _ = rows.Close()
			return err
		}
		return nil
	})
}

// planAgain calls run, which may use kept statements if that is possible. If one of them no longer fits the
// tables, it calls run again without them, and if the tables change even between the description and the
// use, once more. Inside a transaction nothing can be repeated, and its locks let nothing change. Behind a
// transaction pooler each run is a transaction of its own.
func (c *ModuleConn) planAgain(ctx context.Context, plain bool, once func(how planning) error) error {
	if c.PgConn().TxStatus() != 'I' {
		return once(planDescribed)
	}
	run := once
	if c.pool.pooled {
		run = func(how planning) error { return c.alone(ctx, func() error { return once(how) }) }
	}
	if plain {
		err := run(planKept)
		if !isStale(err) || c.IsClosed() {
			return err
		}
		c.statements.unclean = true
	}
	err := run(planDescribed)
	if !isChanged(err) || c.IsClosed() {
		return err
	}
	return run(planTogether)
}

// describe prepares a statement: under a name if it is kept and is not prepared yet, else for its next use.
// Behind a transaction pooler only the description is kept.
func (c *ModuleConn) describe(
	ctx context.Context, sql string, keep bool,
) (*pgconn.StatementDescription, error) {
	var kept *pgconn.StatementDescription
	if keep {
		kept = c.statements.keep(sql)
	}
	if kept == nil {
		return c.PgConn().Prepare(ctx, "", sql, nil)
	}
	if kept.ParamOIDs == nil {
		if c.pool.pooled {
			kept.Name = ""
		}
		prepared, err := c.PgConn().Prepare(ctx, kept.Name, sql, nil)
		if err != nil {
			return nil, err
		}
		kept.ParamOIDs, kept.Fields = prepared.ParamOIDs, prepared.Fields
	}
	return kept, nil
}

// isStale reports whether an error may come from a statement that was prepared for tables as they were, or
// that the module has removed from its session. Outside a transaction a statement that failed has done
// nothing, so it may be repeated.
func isStale(err error) bool {
	said := (*pgconn.PgError)(nil)
	return isChanged(err) ||
		errors.As(err, &said) && (said.Code == "26000" || strings.HasPrefix(said.Code, "42"))
}

// isChanged reports "cached plan must not change result type", whose code stands for much else: a server may
// translate the message, but not the name of the function that reports it. A batch parses a statement once
// more than it describes it, and then its columns may have become other ones, which violates the protocol.
func isChanged(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) &&
		(said.Code == "0A000" && said.Routine == "RevalidateCachedQuery" || said.Code == "08P01")
}

// resetSession is DISCARD ALL without its DEALLOCATE ALL and DISCARD PLANS, which are in resetPlans.
const (
	resetSession = `CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; UNLISTEN *;
		SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; `
	resetPlans = `DEALLOCATE ALL; DISCARD PLANS; `
)

// selectLeft finds a statement that the module has prepared itself, which a function of its schema can have
// done after plain statements. To look for functions first would cost more than listing the kept statements.
const selectLeft = `SELECT FROM pg_catalog.pg_prepared_statement() AS s WHERE s.from_sql`

// reset removes everything that the session was used for, in one message: settings, role, locks,
// subscriptions, cursors, temporary tables, states of sequences. Kept statements and their plans stay, unless
// the session was used in a way that may have changed them.
func (c *ModuleConn) reset() bool {
	ctx, cancel := context.WithTimeout(context.Background(), resetWithin)
	defer cancel()
	if c.pool.pooled { // the end of the transaction was the reset
		if c.statements.unclean {
			c.statements.forget()
		}
		return true
	}
	if c.statements.unclean || len(c.statements.kept) == 0 {
		return c.resetAll(ctx)
	}
	if !c.statements.probed {
		if _, err := c.PgConn().Prepare(ctx, "narthex_left", selectLeft, nil); err != nil {
			return c.resetAll(ctx)
		}
		c.statements.probed = true
	}
	tag, err := c.Exec(ctx, resetSession+c.pool.session+"; EXECUTE narthex_left",
		pgx.QueryExecModeSimpleProtocol)
	if err != nil || tag.RowsAffected() > 0 {
		return c.resetAll(ctx)
	}
	return true
}

// resetAll also removes the statements.
func (c *ModuleConn) resetAll(ctx context.Context) bool {
	c.statements.forget()
	_, err := c.Exec(ctx, resetSession+resetPlans+c.pool.session, pgx.QueryExecModeSimpleProtocol)
	return err == nil
}
