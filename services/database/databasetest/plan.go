package databasetest

import (
	"encoding/json"
	"strings"
	"testing"
)

// Plan is PostgreSQL's execution plan of a statement, with the measured row counts.
type Plan struct {
	Text string // EXPLAIN (ANALYZE, FORMAT JSON), for messages
	root planNode
}

type planNode struct {
	NodeType     string     `json:"Node Type"`
	RelationName string     `json:"Relation Name"`
	Rows         float64    `json:"Actual Rows"`
	Loops        float64    `json:"Actual Loops"`
	Removed      float64    `json:"Rows Removed by Filter"`
	Plans        []planNode `json:"Plans"`
}

// Plan runs a statement and returns its plan.
func (db *DB) Plan(t testing.TB, sql string, args ...any) Plan {
	t.Helper()
	var text string
	err := db.Pool(t).QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+sql, args...).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return ReadPlan(t, text)
}

// GenericPlan returns the plan that PostgreSQL keeps for a statement, whatever its arguments. It does not run
// it, so the plan has no row counts.
func (db *DB) GenericPlan(t testing.TB, sql string) Plan {
	t.Helper()
	conn, err := db.Pool(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	prepared, err := conn.Conn().Prepare(t.Context(), "explained", sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer func() { _ = conn.Conn().Deallocate(t.Context(), "explained") }()
	execute := "EXECUTE explained"
	if n := len(prepared.ParamOIDs); n > 0 {
		execute += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
	}
	var text string
	if err := tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+execute).Scan(&text); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return ReadPlan(t, text)
}

// AssertIndexed fails the test for every statement whose plan reads one of the tables as a whole.
func (db *DB) AssertIndexed(t testing.TB, statements []string, tables ...string) {
	t.Helper()
	for _, sql := range statements {
		if strings.Contains(sql, "LOCK TABLE") {
			continue // has no plan
		}
		plan := db.GenericPlan(t, sql)
		for _, table := range tables {
			if plan.Scans(table) {
				t.Errorf("%s is read as a whole by%s\n%s", table, sql, plan.Text)
			}
		}
	}
}

// ReadPlan reads what EXPLAIN (ANALYZE, FORMAT JSON) returned.
func ReadPlan(t testing.TB, text string) Plan {
	t.Helper()
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(text), &plans); err != nil || len(plans) == 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	return Plan{text, plans[0].Plan}
}

// ReadAll returns how many rows of all tables were read, including those that a filter removed.
func (p Plan) ReadAll() float64 { return p.root.read("") }

// Read returns how many rows of a table were read, including those that a filter removed.
func (p Plan) Read(table string) float64 { return p.root.read(table) }

// Scans reports whether the plan has a sequential scan of the table.
func (p Plan) Scans(table string) bool { return p.root.scans(table) }

func (n planNode) read(table string) (rows float64) {
	if n.RelationName == table || table == "" && n.RelationName != "" {
		rows = (n.Rows + n.Removed) * n.Loops
	}
	for _, inner := range n.Plans {
		rows += inner.read(table)
	}
	return rows
}

func (n planNode) scans(table string) bool {
	if n.RelationName == table && n.NodeType == "Seq Scan" {
		return true
	}
	for _, inner := range n.Plans {
		if inner.scans(table) {
			return true
		}
	}
	return false
}
