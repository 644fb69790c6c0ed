package facade_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func statement(sql string, args ...*abi.Value) *abi.BatchStatement {
	return &abi.BatchStatement{Sql: sql, Arguments: args}
}

func (m *module) batch(
	t *testing.T, transaction uint64, list ...*abi.BatchStatement,
) (*abi.BatchResponse, error) {
	t.Helper()
	return ask[abi.BatchResponse](t, m, abi.Method_METHOD_BATCH,
		&abi.BatchRequest{Transaction: transaction, Statements: list})
}

// together runs a batch and returns the texts of each result.
func (m *module) together(t *testing.T, transaction uint64, list ...*abi.BatchStatement) []string {
	t.Helper()
	response, err := m.batch(t, transaction, list...)
	if err != nil || response.GetCode() != "" {
		t.Fatalf("a batch: error %v, code %q of statement %d (%s)", err, response.GetCode(),
			response.GetFailed(), response.GetDetail())
	}
	texts := make([]string, len(list))
	for i, result := range response.GetResults() {
		var values []string
		for _, value := range cells(t, &abi.RowsResponse{Rows: result.GetRows()}) {
			values = append(values, string(value))
		}
		texts[i] = strings.Join(values, " ")
	}
	return texts
}

func TestBatch(t *testing.T) {
	m := open(t)
	list := []*abi.BatchStatement{
		statement(`INSERT INTO seats SELECT n, 'row ' || n FROM generate_series(1, $1) AS n`, integer(3)),
		statement(`SELECT name FROM seats ORDER BY id`),
		statement(`SELECT name FROM seats WHERE id = $1`, integer(9)),
		statement(`UPDATE seats SET name = $2 WHERE id = $1 RETURNING name`, integer(2), text("aisle")),
		statement(`SELECT count(DISTINCT xmin::text)::text FROM seats`),
		statement(`DELETE FROM seats`),
	}
	want := []string{"", "row 1 row 2 row 3", "", "aisle", "1", ""}
	for run := range 4 { // described, then kept
		if got := m.together(t, 0, list...); !slices.Equal(got, want) {
			t.Errorf("run %d: results %q, want %q", run, got, want)
		}
	}
	response, err := m.batch(t, 0, list...)
	if err != nil {
		t.Fatal(err)
	}
	for i, affected := range []int64{3, 3, 0, 1, 1, 3} {
		if result := response.GetResults()[i]; result.GetRowsAffected() != affected {
			t.Errorf("statement %d affected %d rows, want %d", i, result.GetRowsAffected(), affected)
		}
	}
	if column := response.GetResults()[1].GetColumns()[0]; column.GetName() != "name" {
		t.Errorf("the column's name is %q, want name", column.GetName())
	}
	kept := m.textOf(t, 0, `SELECT string_agg((generic_plans + custom_plans)::text, ' ')
		FROM pg_prepared_statements WHERE name <> 'narthex_left' AND statement NOT LIKE '%string_agg%'`)
	if kept != "4 4 4 4 4 4" && !m.pooled() {
		t.Errorf("the statements were run as kept ones %q times, want 4 each: all but the first time", kept)
	}
	transaction := m.begin(t)
	if got := m.together(t, transaction, list...); !slices.Equal(got, want) {
		t.Errorf("in a transaction: results %q, want %q", got, want)
	}
	if _, err := m.exec(t, transaction, `INSERT INTO seats VALUES (1, 'aisle')`); err != nil {
		t.Error(err)
	}
	if _, err := ask[abi.CommitResponse](t, m, abi.Method_METHOD_COMMIT,
		&abi.CommitRequest{Transaction: transaction}); err != nil || m.count(t) != 1 {
		t.Errorf("after the commit: error %v, %d seats, want 1", err, m.count(t))
	}
}

// TestFailureEndsABatch lets each kind of statement fail, as described, as a kept one and in a transaction.
func TestFailureEndsABatch(t *testing.T) {
	m := open(t)
	m.mustExec(t, `CREATE TABLE rows (id int PRIMARY KEY,
		next int REFERENCES rows DEFERRABLE INITIALLY DEFERRED)`)
	insert := statement(`INSERT INTO seats VALUES (1, 'aisle')`)
	tooMuch := statement(`SELECT repeat('x', 600000) FROM generate_series(1, 2)`)
	for _, c := range []struct {
		name   string
		list   []*abi.BatchStatement
		code   string
		failed uint32
		says   string
	}{
		{"not SQL", []*abi.BatchStatement{insert, statement(`SELECT FROM nowhere`), insert},
			"DATABASE_FAILED", 1, "42P01"},
		{"while it runs", []*abi.BatchStatement{insert, statement(`SELECT 1/0`), insert}, "DATABASE_FAILED", 1,
			"22012"},
		{"a constraint", []*abi.BatchStatement{insert, insert}, "DATABASE_FAILED", 1, "seats_pkey"},
		{"the last", []*abi.BatchStatement{insert, statement(`SELECT $1::int`, text("one"))},
			"DATABASE_FAILED", 1, "22P02"},
		{"the commit", []*abi.BatchStatement{insert, statement(`INSERT INTO rows VALUES (1, 2)`)},
			"DATABASE_FAILED", 2, "rows_next_fkey"},
		{"a transaction's end", []*abi.BatchStatement{insert, statement(`COMMIT`)}, "DATABASE_FAILED", 1, "0A000"},
		{"a setting", []*abi.BatchStatement{statement(`/* */ SET timezone = 'UTC'`)}, "DATABASE_FAILED", 0,
			"0A000"},
		{"COPY", []*abi.BatchStatement{insert, statement(`COPY seats FROM STDIN`)}, "DATABASE_FAILED", 1, "0A000"},
		{"two at once", []*abi.BatchStatement{statement(`SELECT 1; SELECT 2`)}, "DATABASE_FAILED", 0, "42601"},
		{"nothing", []*abi.BatchStatement{insert, statement(``)}, "DATABASE_FAILED", 1, "0A000"},
		{"too many bytes", []*abi.BatchStatement{statement(`SELECT 1`), tooMuch}, "MESSAGE_TOO_LARGE", 1, ""},
		{"too many of several", []*abi.BatchStatement{
			statement(`SELECT repeat('x', 600000)`), statement(`SELECT repeat('y', 600000)`)},
			"MESSAGE_TOO_LARGE", 1, ""},
		{"a large row", []*abi.BatchStatement{statement(`SELECT repeat('x', 1048576)`)}, "ROW_TOO_LARGE", 0, ""},
	} {
		for _, way := range []string{"first", "second", "third", "transaction"} {
			transaction := uint64(0)
			if way == "transaction" {
				transaction = m.begin(t)
				if c.name == "the commit" {
					c.code = ""
				}
			}
			response, err := m.batch(t, transaction, c.list...)
			if err != nil || response.GetCode() != c.code || c.code != "" && response.GetFailed() != c.failed ||
				!strings.Contains(string(response.GetDetail()), c.says) && c.code != "" {
				t.Errorf("%s, %s: error %v, code %q of statement %d (%s); want %q of %d (%s)", c.name, way, err,
					response.GetCode(), response.GetFailed(), response.GetDetail(), c.code, c.failed, c.says)
			}
			if transaction != 0 {
				if _, err := ask[abi.RollbackResponse](t, m, abi.Method_METHOD_ROLLBACK,
					&abi.RollbackRequest{Transaction: transaction}); err != nil {
					t.Error(c.name, err)
				}
			}
			if got := m.count(t); got != 0 {
				t.Fatalf("%s, %s: %d seats are left, want none", c.name, way, got)
			}
		}
	}
}

func TestLimitsOfABatch(t *testing.T) {
	m := open(t)
	list := make([]*abi.BatchStatement, 33)
	for i := range list {
		list[i] = statement(fmt.Sprintf(`SELECT '%d'`, i))
	}
	for range 3 {
		if got := m.together(t, 0, list[:32]...); got[0] != "0" || got[31] != "31" {
			t.Errorf("the first and last of 32 results are %q and %q", got[0], got[31])
		}
	}
	for _, count := range []int{0, 33} {
		if _, err := m.batch(t, 0, list[:count]...); code(err) != "REQUEST_INVALID" {
			t.Errorf("a batch of %d statements: %v, want REQUEST_INVALID", count, err)
		}
	}
	if _, err := m.batch(t, 12345, list[0]); code(err) != "TRANSACTION_ENDED" {
		t.Errorf("a batch in an unknown transaction: %v, want TRANSACTION_ENDED", err)
	}
	var said abi.DatabaseError
	response, err := m.batch(t, 0, statement(`SELECT $1::int`))
	if err != nil || proto.Unmarshal(response.GetDetail(), &said) != nil || said.GetSqlState() != "07001" {
		t.Errorf("a batch without its parameter: %v, error %v; want SQLSTATE 07001", &said, err)
	}
	page, err := m.query(t, 0, `SELECT repeat('x', 100) FROM generate_series(1, 20000)`)
	if err != nil || page.GetCursor() == 0 {
		t.Fatal("rows of two pages are read: ", err)
	}
	m.together(t, 0, list[0])
}

// TestBatchesWhileTablesChange lets another session change a table while batches read and write it. Each
// batch is done once or not at all.
func TestBatchesWhileTablesChange(t *testing.T) {
	m := open(t)
	m.mustExec(t, `INSERT INTO seats VALUES (1, 'aisle')`)
	m.mustExec(t, `CREATE TABLE counts (n int)`)
	m.mustExec(t, `INSERT INTO counts VALUES (0)`)
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			for range 100 {
				response, err := m.batch(t, 0, statement(`UPDATE counts SET n = n + 1`),
					statement(`SELECT * FROM seats WHERE id = $1`, integer(1)))
				if err != nil || response.GetCode() != "" {
					t.Errorf("a batch: %v, %q (%s)", err, response.GetCode(), response.GetDetail())
					return
				}
			}
		})
	}
	for n := range 20 {
		m.db.Exec(t, fmt.Sprintf(`ALTER TABLE module_seats.seats ADD COLUMN c%d text`, n))
	}
	running.Wait()
	if got := m.textOf(t, 0, `SELECT n::text FROM counts`); got != "300" {
		t.Errorf("300 batches have counted to %s", got)
	}
}
