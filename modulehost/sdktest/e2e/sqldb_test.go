package e2e_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/sqldb"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/services/waittest"
)

type sqlModule struct{ db *sql.DB }

func (m *sqlModule) Register(*sdk.Registry) error { return nil }
func (m *sqlModule) Start(_ context.Context, h *sdk.Host) error {
	m.db = sqldb.Open(h)
	return nil
}
func (m *sqlModule) Stop(context.Context) error { return m.db.Close() }

func open(t *testing.T) *sql.DB {
	t.Helper()
	m := &sqlModule{}
	sdktest.Start(t, m, sdktest.Options{Folder: "testdata/seats"})
	return m.db
}

func exec(t *testing.T, on interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, query string, args ...any) int64 {
	t.Helper()
	result, err := on.ExecContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func count(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM seats`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestValues: each kind of value has the Go type of database/sql, and its column type is reported.
func TestValues(t *testing.T) {
	t.Parallel()
	db := open(t)
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, at := uuid.New(), time.Date(2026, 3, 1, 10, 0, 0, 123456000, time.UTC)
	for _, c := range []struct {
		expression string
		arg        any
		want       any
		named      string
	}{
		{"$1::smallint", 7, int64(7), "INT2"},
		{"$1::integer", int32(-7), int64(-7), "INT4"},
		{"$1::bigint", int64(1) << 53, int64(1) << 53, "INT8"},
		{"$1::real", 1.5, 1.5, "FLOAT4"},
		{"$1::double precision", 1.25, 1.25, "FLOAT8"},
		{"$1::boolean", true, true, "BOOL"},
		{"$1::text", "a", "a", "TEXT"},
		{"$1::numeric", "12.50", "12.50", "NUMERIC"},
		{"$1::uuid", id, id.String(), "UUID"},
		{"$1::bytea", []byte{0, 1}, []byte{0, 1}, "BYTEA"},
		{"$1::jsonb", `{"a": 1}`, []byte(`{"a": 1}`), "JSONB"},
		{"$1::json", `{"a":1}`, []byte(`{"a":1}`), "JSON"},
		{"$1::timestamptz", at, at, "TIMESTAMPTZ"},
		{"$1::date", at, at.Truncate(24 * time.Hour), "DATE"},
		{"$1::interval", "90 minutes", "01:30:00", "INTERVAL"},
		{"$1::text[]", []string{"a", "b"}, "{a,b}", "_TEXT"},
		{"$1::bigint[]", []int64{1, 2}, "{1,2}", "_INT8"},
		{"$1::timestamptz[]", `{"2026-03-01 10:00:00+00",NULL}`, `{"2026-03-01 10:00:00Z",NULL}`, "_TIMESTAMPTZ"},
		{"ARRAY[[1, 2], [3, $1::int]]", 4, "{{1,2},{3,4}}", "_INT4"},
		{"int4range(1, $1)::text", 4, "[1,4)", "TEXT"},
		{"$1::inet", "10.0.0.1", "10.0.0.1/32", "INET"},
		{"$1::time", "10:30", "10:30:00.000000", "TIME"},
		{"$1::text::side", "left", "left", ""},
		{"$1::text", nil, nil, "TEXT"},
		{"$1::text", sql.NullString{}, nil, "TEXT"},
	} {
		rows, err := db.QueryContext(t.Context(), "SELECT "+c.expression+" AS v", c.arg)
		if err != nil {
			t.Errorf("SELECT %s: error %v, want none", c.expression, err)
			continue
		}
		types, err := rows.ColumnTypes()
		if err != nil || len(types) != 1 || types[0].Name() != "v" || types[0].DatabaseTypeName() != c.named ||
			c.want != nil && types[0].ScanType() != reflect.TypeOf(c.want) {
			t.Errorf("SELECT %s: column types %v, want one %s named v; error %v", c.expression, types,
				c.named, err)
		}
		var got any
		if !rows.Next() || rows.Scan(&got) != nil || rows.Next() || rows.Err() != nil {
			t.Errorf("SELECT %s: want exactly one row; error %v", c.expression, rows.Err())
		}
		if moment, ok := got.(time.Time); ok {
			got = moment.UTC()
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, want %#v", c.expression, got, c.want)
		}
	}
	if err := db.QueryRowContext(t.Context(), `SELECT int4range(1, 4)`).Scan(new(string)); err == nil {
		t.Error("a range was handed on as it came")
	}
	var maybe sql.Null[string]
	if err := db.QueryRowContext(t.Context(), `SELECT NULL::text`).Scan(&maybe); err != nil || maybe.Valid {
		t.Errorf("SELECT NULL::text: %+v, want NULL; error %v", maybe, err)
	}
	if _, err := db.QueryContext(t.Context(), `SELECT $1::bigint`, sql.Named("a", 1)); err == nil {
		t.Error("a named argument was taken")
	}
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	db := open(t)
	begin := func(ctx context.Context, options *sql.TxOptions) *sql.Tx {
		t.Helper()
		tx, err := db.BeginTx(ctx, options)
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	tx := begin(t.Context(), nil)
	exec(t, tx, `INSERT INTO seats VALUES ('kept')`)
	if n := count(t, db); n != 0 {
		t.Error("seen before the commit")
	}
	if err := tx.Commit(); err != nil || count(t, db) != 1 {
		t.Errorf("Commit: error %v, want none; count(t, db) %v, want %v", err, count(t, db), 1)
	}
	tx = begin(t.Context(), nil)
	exec(t, tx, `DELETE FROM seats`)
	if err := tx.Rollback(); err != nil || count(t, db) != 1 {
		t.Errorf("Rollback: error %v, want none; count(t, db) %v, want %v", err, count(t, db), 1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tx = begin(ctx, nil)
	exec(t, tx, `DELETE FROM seats`)
	cancel()
	if err := tx.Commit(); err == nil || count(t, db) != 1 {
		t.Error("a cancelled transaction was committed: ", err)
	}
	tx = begin(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
	var level string
	if err := tx.QueryRow(`SHOW transaction_isolation`).Scan(&level); err != nil || level != "serializable" {
		t.Errorf("Scan: error %v, want none; level %.200q, want %.200q", err, level, "serializable")
	}
	said := (*sdk.DatabaseError)(nil)
	if _, err := tx.Exec(`DELETE FROM seats`); !errors.As(err, &said) || said.SQLState != "25006" {
		t.Errorf("Exec: %v, want a *sdk.DatabaseError of SQLSTATE 25006", err)
	}
	if err := tx.Commit(); err == nil {
		t.Error("a failed transaction was committed")
	}
	if _, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelLinearizable}); err == nil {
		t.Error("an isolation level that PostgreSQL lacks")
	}
	for range 5 { // more than there are connections, so each was released
		if tx = begin(t.Context(), nil); tx.Rollback() != nil {
			t.Error("not undone")
		}
	}
}

func TestStatementsAndErrors(t *testing.T) {
	t.Parallel()
	db := open(t)
	insert, err := db.PrepareContext(t.Context(), `INSERT INTO seats VALUES ($1)`)
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close()
	for n := range 3 {
		if _, err := insert.ExecContext(t.Context(), fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	said := (*sdk.DatabaseError)(nil)
	if _, err := insert.ExecContext(t.Context(), "1"); !errors.As(err, &said) || said.SQLState != "23505" ||
		said.Constraint != "seats_pkey" {
		t.Errorf("insert: %v, want a *sdk.DatabaseError of SQLSTATE 23505 and constraint seats_pkey", err)
	}
	if n := exec(t, db, `DELETE FROM seats WHERE name = ANY($1)`, []string{"0", "1", "x"}); n != 2 {
		t.Errorf("exec: n %v, want %v", n, 2)
	}
	chosen, err := db.PrepareContext(t.Context(), `SELECT name FROM seats WHERE name <> ALL($1)`)
	if err != nil {
		t.Fatal(err)
	}
	defer chosen.Close()
	var name string
	if err := chosen.QueryRowContext(t.Context(), []string{"9"}).Scan(&name); err != nil || name != "2" {
		t.Errorf("Scan: error %v, want none; name %.200q, want %.200q", err, name, "2")
	}
	if err := chosen.QueryRowContext(t.Context(), []string{"2"}).Scan(&name); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("Scan: error %v, want %v", err, sql.ErrNoRows)
	}
	if _, err := db.ExecContext(t.Context(), `SELECT 1; SELECT 2`); !errors.As(err, &said) ||
		said.SQLState != "42601" {
		t.Error("two statements at once: ", err)
	}
}

// TestManyPagesOfRows: rows on many pages, and a query that is closed early.
func TestManyPagesOfRows(t *testing.T) {
	t.Parallel()
	db := open(t)
	rows, err := db.QueryContext(t.Context(), `SELECT n, repeat('x', 100000) FROM generate_series(1, 40) n`)
	if err != nil {
		t.Fatal(err)
	}
	seen, text := 0, ""
	for rows.Next() {
		var n int
		if seen++; rows.Scan(&n, &text) != nil || n != seen || text != strings.Repeat("x", 100000) {
			t.Fatalf("row %d: number %d and %d characters, want %d and 100000", seen, n, len(text), seen)
		}
	}
	if rows.Err() != nil || seen != 40 {
		t.Errorf("read %d rows, want 40; error %v", seen, rows.Err())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := db.ExecContext(ctx, `SELECT pg_sleep(60)`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ExecContext: error %v, want %v", err, context.DeadlineExceeded)
	}
}

// TestFifthConnectionWaits: the fifth user of four connections waits in the pool until its own context ends.
// The platform would refuse it after 5 s.
func TestFifthConnectionWaits(t *testing.T) {
	t.Parallel()
	db := open(t)
	var held []*sql.Tx
	for range 4 {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, tx)
	}
	fifth := make(chan error, 1)
	go func() { fifth <- db.PingContext(t.Context()) }()
	waittest.Until(t, "the fifth waits in the pool", func() bool { return db.Stats().WaitCount > 0 })
	for _, tx := range held {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
	if err := <-fifth; err != nil {
		t.Error(err)
	}
}

func TestNoDatabase(t *testing.T) {
	t.Parallel()
	db := sqldb.Open(&sdk.Host{})
	defer db.Close()
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("there is none")
	}
}

// TestTextOfABool: a bool is scanned into types with the kind string as by database/sql.
func TestTextOfABool(t *testing.T) {
	t.Parallel()
	m := &directModule{}
	sdktest.Start(t, m, sdktest.Options{Folder: "testdata/seats"})
	type word string
	for expression, want := range map[string]string{"true": "true", "false": "false"} {
		var text string
		var pointer *string
		var named word
		var null sql.NullString
		row := m.db.QueryRow(t.Context(), `SELECT `+expression+`, `+expression+`, `+expression+`, `+expression)
		if err := row.Scan(&text, &pointer, &named, &null); err != nil || text != want || pointer == nil ||
			*pointer != want || string(named) != want || null.String != want {
			t.Errorf("%s: %q, %v, %q, %v, %v; want %q", expression, text, pointer, named, null, err, want)
		}
		through := ""
		if err := open(t).QueryRowContext(t.Context(), `SELECT `+expression).Scan(&through); err != nil ||
			through != text {
			t.Errorf("%s through database/sql: %q, %v; want %q", expression, through, err, text)
		}
	}
	pointer := new(string)
	if err := m.db.QueryRow(t.Context(), `SELECT NULL::bool`).Scan(&pointer); err != nil || pointer != nil {
		t.Errorf("NULL: %v, %v; want a nil pointer", pointer, err)
	}
}

// TestRowsWithoutColumns: their number is correct.
func TestRowsWithoutColumns(t *testing.T) {
	t.Parallel()
	m := &directModule{}
	sdktest.Start(t, m, sdktest.Options{Folder: "testdata/seats"})
	for _, want := range []int{0, 1, 3, 300_000} { // the last ones need more than one page
		rows, err := m.db.Query(t.Context(), `SELECT FROM generate_series(1, $1::int)`, want)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for rows.Next() {
			if err := rows.Scan(); err != nil {
				t.Fatal(err)
			}
			got++
		}
		if got != want || rows.Err() != nil {
			t.Errorf("%d rows without columns, %v; want %d", got, rows.Err(), want)
		}
	}
}

// directModule is a module that uses the SDK's own database.
type directModule struct{ db *sdk.DB }

func (m *directModule) Register(*sdk.Registry) error { return nil }
func (m *directModule) Start(_ context.Context, h *sdk.Host) error {
	m.db = h.DB
	return nil
}
func (m *directModule) Stop(context.Context) error { return nil }
