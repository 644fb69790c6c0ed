package facade_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// textOf runs a query and returns its values as texts.
func (m *module) textOf(t *testing.T, transaction uint64, sql string, args ...*abi.Value) string {
	t.Helper()
	page, err := m.query(t, transaction, sql, args...)
	if err != nil {
		t.Fatalf("%.200s: %v (%s)", sql, code(err), messageOf(t, err))
	}
	var texts []string
	for _, value := range cells(t, page) {
		texts = append(texts, string(value))
	}
	return strings.Join(texts, " ")
}

func (m *module) mustExec(t *testing.T, sql string) {
	t.Helper()
	if _, err := m.exec(t, 0, sql); err != nil {
		t.Fatalf("%.200s: %v (%s)", sql, code(err), messageOf(t, err))
	}
}

// grantMore lets the module create temporary tables and take the role of a helper.
func (m *module) grantMore(t *testing.T) {
	t.Helper()
	m.db.Exec(t, `
		DO $$
		DECLARE
			module text := (SELECT role_name FROM core.module_database_role WHERE module_id = 'seats');
			helper text := 'helper_of_' || current_database();
		BEGIN
			EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), module);
			EXECUTE format('CREATE ROLE %I', helper);
			EXECUTE format('GRANT %I TO %I', helper, module);
		END $$`)
}

const selectLeftBehind = `
	SELECT concat_ws(' ', current_setting('search_path'), current_setting('statement_timeout'),
		current_setting('timezone'), current_setting('seats.own', true), current_user = session_user,
		current_setting('role'),
		(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
		(SELECT count(*) FROM pg_listening_channels()),
		(SELECT count(*) FROM pg_cursors WHERE is_holdable),
		(SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema()),
		(SELECT count(*) FROM pg_prepared_statements WHERE from_sql))`

// TestNextRequestFindsNothing leaves one thing after the other in a session, as a statement and from a
// function of the module, and looks with a statement that the session keeps.
func TestNextRequestFindsNothing(t *testing.T) {
	m := open(t)
	m.grantMore(t)
	m.mustExec(t, `CREATE SEQUENCE numbers`)
	m.mustExec(t, `CREATE FUNCTION leave(what text) RETURNS int LANGUAGE plpgsql
		AS $$ BEGIN EXECUTE what; RETURN 1; END $$`)
	for range 3 {
		m.textOf(t, 0, selectLeftBehind)
	}
	want := `module_seats 30s UTC t none 0 0 0 0 0`
	for _, leave := range []string{
		`SET search_path = pg_catalog`, `SET statement_timeout = 1`, `SET timezone = 'Asia/Tokyo'`,
		`SET seats.own = 'left'`, `SELECT set_config('timezone', 'Asia/Tokyo', false)`,
		`SET ROLE helper_of_` + m.db.Settings.Name, `SET ROLE pg_monitor`,
		`SET SESSION AUTHORIZATION CURRENT_USER`,
		`SELECT pg_advisory_lock(1)`, `SELECT pg_advisory_lock_shared(2)`, `LISTEN gossip`,
		`DECLARE left_open CURSOR WITH HOLD FOR SELECT 1`,
		`CREATE TEMPORARY TABLE left_behind ()`, `SELECT 1 INTO TEMPORARY left_behind`,
		`SELECT nextval('numbers')`, `PREPARE own AS SELECT 1`, `DEALLOCATE ALL`, `BEGIN`,
		`DO $$ BEGIN SET statement_timeout = 1; EXECUTE 'PREPARE own AS SELECT 1'; END $$`,
	} {
		for _, way := range []string{leave, `SELECT leave($leave$` + leave + `$leave$)`} {
			_, _ = m.exec(t, 0, way) // some are refused, which leaves nothing either
			inBatch := m.together(t, 0, statement(selectLeftBehind))[0]
			if got := strings.Join(strings.Fields(inBatch), " "); got != want {
				t.Errorf("after %s the next batch finds %q, want %q", way, got, want)
			}
			if got := strings.Join(strings.Fields(m.textOf(t, 0, selectLeftBehind)), " "); got != want {
				t.Errorf("after %s the next request finds %q, want %q", way, got, want)
			}
			for _, state := range []string{`SELECT lastval()`, `SELECT currval('numbers')`} {
				if _, err := m.query(t, 0, state); !strings.Contains(messageOf(t, err), "not yet defined") {
					t.Errorf("after %s the next request's %s: %v, want it not defined", way, state, err)
				}
			}
		}
	}
	failed := m.begin(t)
	if _, err := m.exec(t, failed, `SELECT 1/0`); err == nil {
		t.Error("1/0 has a result")
	}
	m.session.Close()
	m.session = m.Open()
	if got := strings.TrimSpace(m.textOf(t, 0, selectLeftBehind)); got == "" {
		t.Error("after a failed transaction nothing can be read")
	}
}

func TestStatementsAreKept(t *testing.T) {
	databasetest.NeedsSessions(t, "the server keeps no statement")
	m := open(t)
	for range 3 { // of its four sessions one is left, for which a request waits while it is being reset
		m.textOf(t, m.begin(t), `SELECT 'held'`)
	}
	for range 12 {
		m.textOf(t, 0, `SELECT name FROM seats WHERE id = $1`, integer(1))
	}
	if got := m.textOf(t, 0, `SELECT (generic_plans + custom_plans)::text FROM pg_prepared_statements
		WHERE statement LIKE 'SELECT name FROM seats%'`); got != "11" {
		t.Errorf("the session planned or ran its statement %q times, want 11: all but the first", got)
	}
}

// TestChangedTables changes tables under kept statements.
func TestChangedTables(t *testing.T) {
	m := open(t)
	elsewhere := func(sql string) { m.db.Exec(t, `SET search_path = module_seats; `+sql) }
	own := func(sql string) { m.mustExec(t, sql) }
	m.mustExec(t, `INSERT INTO seats VALUES (1, 'aisle')`)
	look := func(transaction uint64) string {
		all := m.together(t, transaction, statement(`SELECT 'a batch'`), statement(`SELECT * FROM seats`))
		return all[1] + m.textOf(t, transaction,
			`SELECT to_json(s)::text FROM (SELECT * FROM seats WHERE name = $1) s`, text("aisle")) +
			m.textOf(t, transaction, `SELECT * FROM seats WHERE id::text = $1`, text("1"))
	}
	for n, change := range []string{
		`ALTER TABLE seats ADD COLUMN row_name text DEFAULT 'A'`,
		`ALTER TABLE seats ALTER COLUMN row_name TYPE varchar(9)`,
		`ALTER TABLE seats RENAME COLUMN row_name TO line`, `ALTER TABLE seats DROP COLUMN line`,
		`ALTER TABLE seats ALTER COLUMN id TYPE int`,
		`CREATE TABLE other AS SELECT id, name, 'new' AS more FROM seats; DROP TABLE seats;
			ALTER TABLE other RENAME TO seats; ALTER TABLE seats OWNER TO CURRENT_USER`,
	} {
		for range 3 {
			look(0)
		}
		if n%2 == 0 || strings.Contains(change, ";") {
			elsewhere(change)
			m.db.Exec(t, `GRANT ALL ON module_seats.seats TO PUBLIC`)
		} else {
			own(change)
		}
		transaction := m.begin(t)
		inside := look(transaction)
		if _, err := ask[abi.CommitResponse](t, m, abi.Method_METHOD_COMMIT,
			&abi.CommitRequest{Transaction: transaction}); err != nil {
			t.Error(err)
		}
		if outside := look(0); outside != inside {
			t.Errorf("after %s a kept statement sees %q, a new one %q", change, outside, inside)
		}
	}
}

// TestTablesChangeMeanwhile lets another session change a table as often as it can while the module reads it,
// with single statements and with batches.
func TestTablesChangeMeanwhile(t *testing.T) {
	m := open(t)
	m.mustExec(t, `INSERT INTO seats VALUES (1, 'aisle')`)
	var reading sync.WaitGroup
	const sql = `SELECT * FROM seats WHERE id = $1`
	for range 3 {
		reading.Go(func() {
			for range 100 {
				if _, err := m.query(t, 0, sql, integer(1)); err != nil {
					t.Errorf("a reader: %v (%s)", err, messageOf(t, err))
					return
				}
				response, err := m.batch(t, 0, statement(sql, integer(1)), statement(sql, integer(2)))
				if err != nil || response.GetCode() != "" {
					t.Errorf("a batch: %v, %s", err, response.GetDetail())
					return
				}
			}
		})
	}
	read := make(chan struct{})
	go func() { reading.Wait(); close(read) }()
	for n := 0; ; n++ {
		select {
		case <-read:
			return
		default:
		}
		change := []string{`ADD COLUMN extra text`, `DROP COLUMN extra`}[n%2]
		if n >= 2000 { // a table never has more than 1600 columns, with those that were dropped
			change = []string{`RENAME COLUMN name TO label`, `RENAME COLUMN label TO name`}[n%2]
		}
		m.db.Exec(t, `ALTER TABLE module_seats.seats `+change)
	}
}

// TestNamesOfStatements is about a module that uses or removes the names of kept statements.
func TestNamesOfStatements(t *testing.T) {
	m := open(t)
	const sql = `SELECT 'right'`
	m.mustExec(t, `CREATE FUNCTION replace_all() RETURNS int LANGUAGE plpgsql AS $$
		DECLARE p record;
		BEGIN
			FOR p IN SELECT name FROM pg_prepared_statements LOOP
				EXECUTE format('DEALLOCATE %I', p.name);
				EXECUTE format('PREPARE %I AS SELECT ''wrong''', p.name);
			END LOOP;
			RETURN 1;
		END $$`)
	m.mustExec(t, `CREATE FUNCTION remove_all() RETURNS int LANGUAGE plpgsql
		AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN 1; END $$`)
	for range 3 {
		for _, hostile := range []string{`SELECT replace_all()`, `SELECT remove_all()`, `DEALLOCATE ALL`,
			`DO 'BEGIN PERFORM replace_all(); END'`} {
			for range 3 {
				m.textOf(t, 0, sql)
			}
			m.mustExec(t, hostile)
			for range 3 {
				if got := m.together(t, 0, statement(sql))[0] + m.textOf(t, 0, sql); got != "rightright" {
					t.Fatalf("after %s a kept statement's values are %q, want right twice", hostile, got)
				}
			}
		}
	}
}

// TestKeptStatementsAreBounded sends many different statements, each twice, so that all could be kept.
func TestKeptStatementsAreBounded(t *testing.T) {
	databasetest.NeedsSessions(t, "the server keeps no statement")
	many := 10_000
	if testing.Short() {
		many = 600
	}
	m := open(t)
	filling := strings.Repeat("x", 20<<10)
	most, longestKept := uint32(0), uint32(0)
	for n := range many {
		sql := fmt.Sprintf(`SELECT %d /* %s */`, n, filling[:n%3*len(filling)/2])
		m.mustExec(t, sql)
		m.mustExec(t, sql)
		if n%20 == 0 {
			longest, cost := m.keptStatements(t)
			most, longestKept = max(most, cost), max(longestKept, longest)
		}
	}
	if longestKept > 16<<10 || most < 1<<20 || most > 8<<20 {
		t.Errorf("statements of up to %d bytes are kept, for up to %d bytes; want 16 KiB, and 1 to 8 MiB",
			longestKept, most)
	}
}

// keptStatements returns the length of the longest kept statement, and what all are estimated to cost.
func (m *module) keptStatements(t *testing.T) (longest, cost uint32) {
	t.Helper()
	page, err := m.query(t, 0, `
		SELECT coalesce(max(length(statement)), 0), coalesce(sum(65536 + length(statement) * 128), 0)::int
		FROM pg_prepared_statements WHERE statement LIKE 'SELECT % /*%'`)
	if err != nil {
		t.Fatal(err)
	}
	return binary.BigEndian.Uint32(cells(t, page)[0]), binary.BigEndian.Uint32(cells(t, page)[1])
}
