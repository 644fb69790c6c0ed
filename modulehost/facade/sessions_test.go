package facade_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/waittest"
)

// allocated returns how many bytes this process allocates while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestARowThatIsFarTooLargeIsNotRead(t *testing.T) {
	m := open(t)
	const size = 16 << 20
	for name, begin := range map[string]func(*testing.T) uint64{
		"alone": func(*testing.T) uint64 { return 0 }, "in a transaction": m.begin,
	} {
		transaction := begin(t) // now, because it has a deadline
		var err error
		took := allocated(func() { _, err = m.query(t, transaction, `SELECT repeat('x', $1::int)`, integer(size)) })
		if code(err) != "ROW_TOO_LARGE" || took > size/2 {
			t.Errorf("%s: a row of %d MiB: %v, want ROW_TOO_LARGE; the host asked for %d MiB", name, size>>20, err,
				took>>20)
		}
		if _, err := m.query(t, transaction, `SELECT 1`); transaction != 0 && code(err) != "TRANSACTION_ENDED" {
			t.Errorf("the transaction afterwards: %v, want TRANSACTION_ENDED", err)
		}
	}
	took := allocated(func() {
		_, err := m.exec(t, 0, `DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 16777216); END $$`)
		if code(err) != "ROW_TOO_LARGE" {
			t.Errorf("an exception of 16 MiB: %v, want ROW_TOO_LARGE", err)
		}
	})
	if took > size/2 {
		t.Errorf("the host asked for %d MiB for an exception of 16 MiB", took>>20)
	}
	if n := m.count(t); n != 0 {
		t.Errorf("%d rows, want none", n)
	}
}

func TestNotificationsAreDropped(t *testing.T) {
	m := open(t)
	before := heap()
	for range 20 {
		for _, sql := range []string{
			`LISTEN gossip`,
			`DO $$ BEGIN FOR n IN 1..1000 LOOP PERFORM pg_notify('gossip', n || repeat('x', 7000)); END LOOP; END $$`,
		} {
			if _, err := m.exec(t, 0, sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("140 MiB of notifications left %d MiB in the host", grown>>20)
	}
}

func TestLongStatementsAreNotKept(t *testing.T) {
	m := open(t)
	before := heap()
	filling := strings.Repeat("x", 1<<20)
	for n := range 100 {
		if _, err := m.exec(t, 0, `SELECT 1 -- `+string(rune('a'+n%26))+filling[:len(filling)-n]); err != nil {
			t.Fatal(err)
		}
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("100 statements of 1 MiB left %d MiB in the host", grown>>20)
	}
	page, err := m.query(t, 0, `SELECT count(*)::text FROM pg_prepared_statements`)
	if err != nil || string(cells(t, page)[0]) != "0" {
		t.Errorf("the server keeps %q prepared statements, %v", cells(t, page), err)
	}
}

// heap returns how many bytes of heap this process uses.
func heap() int64 {
	runtime.GC()
	runtime.GC() // pools release their contents only at the second run
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}

func TestCopyIsRefusedAtOnce(t *testing.T) {
	m := open(t)
	for _, sql := range []string{
		`COPY seats FROM STDIN`, "copy seats from stdin",
		" \n;/* a /* b */ */ -- c\n\tCoPy seats (id) FROM STDIN WITH (FORMAT csv)", `COPY(SELECT 1) TO STDOUT`,
	} {
		_, err := m.exec(t, 0, sql)
		if code(err) != abi.CodeDatabaseFailed || !strings.Contains(messageOf(t, err), "COPY is not available") {
			t.Errorf("Exec %q: %v, want %s from the host, which does not ask PostgreSQL", sql, err,
				abi.CodeDatabaseFailed)
		}
		if _, err := m.query(t, 0, sql); code(err) != abi.CodeDatabaseFailed {
			t.Errorf("Query %q: %v, want %s", sql, err, abi.CodeDatabaseFailed)
		}
	}
	for _, sql := range []string{`/* COPY */ SELECT 'COPY'`, `SELECT 1 AS copy`, ``, `--`, `/* /* */`, `-`} {
		_, err := m.exec(t, 0, sql)
		if strings.Contains(messageOf(t, err), "COPY is not available") {
			t.Errorf("Exec %q was taken for COPY", sql)
		}
	}
	if n := m.count(t); n != 0 {
		t.Errorf("%d rows, want none", n)
	}
}

func TestADeadProcessLeavesNoSession(t *testing.T) {
	m := open(t)
	transaction := m.begin(t)
	if _, err := m.exec(t, 0, `SELECT pg_advisory_lock(7)`); err != nil {
		t.Fatal(err)
	}
	if _, err := m.exec(t, 0, `SET search_path = pg_catalog`); err != nil {
		t.Fatal(err)
	}
	if _, err := m.exec(t, transaction, `SELECT pg_advisory_lock(8)`); err != nil {
		t.Fatal(err)
	}
	m.session.Close()
	m.session = m.Open()
	t.Cleanup(m.session.Close)
	waittest.Until(t, "no lock and no session of the process is left", func() bool {
		var left int
		err := m.db.Pool(t).QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid IN (7, 8)
			        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
			     + (SELECT count(*) FROM pg_stat_activity
			        WHERE datname = current_database() AND application_name = 'narthex seats')`).Scan(&left)
		if err != nil {
			t.Fatal(err)
		}
		return left == 0
	})
	if n := m.count(t); n != 0 { // the search_path was reset to the module's
		t.Errorf("%d rows, want none", n)
	}
}

// messageOf returns PostgreSQL's message, or "" when there is none.
func messageOf(t *testing.T, err error) string {
	t.Helper()
	failure := (*link.Failure)(nil)
	if !errors.As(err, &failure) {
		return ""
	}
	var detail abi.DatabaseError
	if err := proto.Unmarshal(failure.Detail, &detail); err != nil {
		t.Fatal(err)
	}
	return detail.GetMessage()
}
