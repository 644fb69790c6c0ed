package facade_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// module is one module's facade on a real database, with the module's own role.
type module struct {
	*facade.Facade
	db      *databasetest.DB
	session process.Session
	logs    *observer.ObservedLogs
}

// pooled reports whether the tests run through a transaction pooler.
func (m *module) pooled() bool { return m.db.Settings.Pooled }

func open(t *testing.T) *module {
	t.Helper()
	db := databasetest.New(t)
	files := []migrations.File{{Version: 1, Name: "seats",
		SQL: []byte(`CREATE TABLE seats (id bigint PRIMARY KEY, name text CHECK (name <> ''))`)}}
	neighbour := []migrations.File{{Version: 1, Name: "duties",
		SQL: []byte(`CREATE TABLE duties (id bigint); INSERT INTO duties VALUES (1)`)}}
	if _, err := migrations.Apply(t.Context(), migrations.Options{
		Connect: database.Config(db.Settings),
		Modules: []migrations.Line{{ID: "rota", Files: neighbour}, {ID: "seats", Files: files}},
	}); err != nil {
		t.Fatal(err)
	}
	roles, err := db.Database(t).ModuleRoles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.Database(t).OpenModule(roles["seats"])
	if err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.DebugLevel)
	m := &module{Facade: facade.New(facade.Config{ModuleID: "seats", Pool: pool,
		Log: zap.New(core)}), db: db, logs: logs}
	m.session = m.Open()
	t.Cleanup(m.session.Close)
	return m
}

// ask makes one call as the module's process would.
func ask[R any, P interface {
	*R
	proto.Message
}](t *testing.T, m *module, method abi.Method, request proto.Message) (P, error) {
	t.Helper()
	return askWith[R, P](t, t.Context(), m, method, request)
}

func askWith[R any, P interface {
	*R
	proto.Message
}](t *testing.T, ctx context.Context, m *module, method abi.Method, request proto.Message) (P, error) {
	t.Helper()
	payload, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := m.session.Serve(ctx, link.Method(method), payload)
	if err != nil {
		return nil, err
	}
	return response.(P), nil
}

func (m *module) exec(t *testing.T, transaction uint64, sql string, args ...*abi.Value) (int64, error) {
	t.Helper()
	response, err := ask[abi.ExecResponse](t, m, abi.Method_METHOD_EXEC,
		&abi.ExecRequest{Transaction: transaction, Sql: sql, Arguments: args})
	return response.GetRowsAffected(), err
}

func (m *module) query(
	t *testing.T, transaction uint64, sql string, args ...*abi.Value,
) (*abi.RowsResponse, error) {
	t.Helper()
	return ask[abi.RowsResponse](t, m, abi.Method_METHOD_QUERY,
		&abi.QueryRequest{Transaction: transaction, Sql: sql, Arguments: args})
}

func (m *module) begin(t *testing.T) uint64 {
	t.Helper()
	response, err := ask[abi.BeginResponse](t, m, abi.Method_METHOD_BEGIN, &abi.BeginRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return response.GetTransaction()
}

func (m *module) count(t *testing.T) int64 {
	t.Helper()
	page, err := m.query(t, 0, `SELECT count(*) FROM seats`)
	if err != nil {
		t.Fatal(err)
	}
	return int64(binary.BigEndian.Uint64(cells(t, page)[0]))
}

// cells returns the values of a page; nil for NULL.
func cells(t *testing.T, page *abi.RowsResponse) (values [][]byte) {
	t.Helper()
	for rest := page.GetRows(); len(rest) > 0; {
		length := int32(binary.BigEndian.Uint32(rest))
		rest = rest[4:]
		if length < 0 {
			values = append(values, nil)
			continue
		}
		values = append(values, rest[:length])
		rest = rest[length:]
	}
	return values
}

func integer(n int64) *abi.Value { return &abi.Value{Kind: &abi.Value_Integer{Integer: n}} }
func text(s string) *abi.Value   { return &abi.Value{Kind: &abi.Value_Text{Text: s}} }

// code returns the code that the module receives.
func code(err error) string {
	coded := (interface{ Code() string })(nil)
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

func TestStatements(t *testing.T) {
	m := open(t)
	if n, err := m.exec(t, 0, `INSERT INTO seats VALUES ($1, $2), ($3, NULL)`, integer(1), text("aisle"),
		integer(2)); n != 2 || err != nil {
		t.Fatalf("exec: n %v, want %v; error %v, want none", n, 2, err)
	}
	page, err := m.query(t, 0, `SELECT id, name FROM seats ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	values := cells(t, page)
	if page.GetCursor() != 0 || len(page.GetColumns()) != 2 || page.GetColumns()[1].GetName() != "name" ||
		len(values) != 4 ||
		string(values[1]) != "aisle" || values[3] != nil {
		t.Errorf("cells: cursor %v, want %v; number of columns %v, want %v; want page.GetColumns()[1].GetName() "+
			"to be %v; number of values %v, want %v; want string(values[1]) to be %v",
			page.GetCursor(), 0, len(page.GetColumns()), 2, "name", len(values), 4, "aisle")
	}
}

func TestModuleIsToldWhatPostgreSQLSaidOfItsOwnStatement(t *testing.T) {
	m := open(t)
	_, err := m.exec(t, 0, `INSERT INTO seats VALUES (1, '')`)
	failure := (*link.Failure)(nil)
	var detail abi.DatabaseError
	if !errors.As(err, &failure) || proto.Unmarshal(failure.Detail, &detail) != nil {
		t.Fatalf("exec against a constraint: error %v, want a failure with PostgreSQL's details", err)
	}
	if failure.Code() != abi.CodeDatabaseFailed || detail.GetSqlState() != "23514" ||
		detail.GetConstraint() != "seats_name_check" {
		t.Errorf("failure %s with %v, want %s with 23514 and seats_name_check", failure.Code(), &detail,
			abi.CodeDatabaseFailed)
	}
}

func TestOneStatementACall(t *testing.T) {
	m := open(t)
	for _, sql := range []string{`INSERT INTO seats VALUES (1, 'a'); INSERT INTO seats VALUES (2, 'b')`,
		`SELECT 1; SELECT 2`} {
		if _, err := m.exec(t, 0, sql); code(err) != abi.CodeDatabaseFailed {
			t.Errorf("exec %q: error %v, want %s", sql, err, abi.CodeDatabaseFailed)
		}
		if _, err := m.query(t, 0, sql); code(err) != abi.CodeDatabaseFailed {
			t.Errorf("query %q: error %v, want %s", sql, err, abi.CodeDatabaseFailed)
		}
	}
	if got := m.count(t); got != 0 {
		t.Errorf("%d rows after refused statements, want none", got)
	}
}

func TestTransaction(t *testing.T) {
	m := open(t)
	kept, dropped := m.begin(t), m.begin(t)
	for transaction, id := range map[uint64]int64{kept: 1, dropped: 2} {
		if _, err := m.exec(t, transaction, `INSERT INTO seats VALUES ($1, 'a')`, integer(id)); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.count(t); got != 0 {
		t.Errorf("%d rows are visible before the commit, want none", got)
	}
	if _, err := ask[abi.CommitResponse](t, m, abi.Method_METHOD_COMMIT,
		&abi.CommitRequest{Transaction: kept}); err != nil {
		t.Error(err)
	}
	if _, err := ask[abi.RollbackResponse](t, m, abi.Method_METHOD_ROLLBACK,
		&abi.RollbackRequest{Transaction: dropped}); err != nil {
		t.Error(err)
	}
	if got := m.count(t); got != 1 {
		t.Errorf("%d rows after a commit and a rollback, want 1", got)
	}
	for _, transaction := range []uint64{kept, dropped, 99} {
		if _, err := m.exec(t, transaction, `SELECT 1`); !errors.Is(err, facade.ErrTransactionEnded) {
			t.Errorf("a statement in an ended transaction: %v", err)
		}
	}
}

func TestTransactionThatEndedEarlyIsAnError(t *testing.T) {
	m := open(t)
	own := m.begin(t)
	if _, err := m.exec(t, own, `COMMIT`); !errors.Is(err, facade.ErrTransactionEnded) &&
		!(m.pooled() && code(err) == abi.CodeDatabaseFailed) { // it is refused before it is sent
		t.Errorf("a COMMIT of the module's own: %v", err)
	}
	failed := m.begin(t)
	if _, err := m.exec(t, failed, `SELECT 1/0`); code(err) != abi.CodeDatabaseFailed {
		t.Errorf("division by zero: %v", err)
	}
	if _, err := ask[abi.CommitResponse](t, m, abi.Method_METHOD_COMMIT,
		&abi.CommitRequest{Transaction: failed}); !errors.Is(err, facade.ErrTransactionEnded) {
		t.Errorf("the commit of a failed transaction: %v", err)
	}
}

// TestTransactionOutsideATransactionIsLost sends BEGIN as a plain statement. Its connection must not return
// to the pool inside the transaction.
func TestTransactionOutsideATransactionIsLost(t *testing.T) {
	m := open(t)
	for range 8 { // more than there are connections
		if _, err := m.exec(t, 0, `BEGIN`); err != nil {
			t.Fatal(err)
		}
		if _, err := m.exec(t, 0, `INSERT INTO seats VALUES (1, 'a')`); err != nil {
			t.Fatalf("the statement ran inside somebody's transaction: %v", err)
		}
		if _, err := m.exec(t, 0, `DELETE FROM seats`); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRowsComeInPages(t *testing.T) {
	m := open(t)
	const rows, size = 50, 100 << 10 // 5 MiB
	page, err := m.query(t, 0, `SELECT n, repeat('x', $2) FROM generate_series(1, $1) n`, integer(rows),
		integer(size))
	if err != nil {
		t.Fatal(err)
	}
	seen, pages := 0, 0
	for {
		pages++
		if len(page.GetRows()) > 1<<20 {
			t.Fatalf("a page of %d bytes, want at most %d", len(page.GetRows()), 1<<20)
		}
		values := cells(t, page)
		for i := 0; i < len(values); i += 2 {
			seen++
			if got := binary.BigEndian.Uint32(values[i]); int(got) != seen || len(values[i+1]) != size {
				t.Fatalf("row %d is %d with %d bytes, want %d bytes", seen, got, len(values[i+1]), size)
			}
		}
		if page.GetCursor() == 0 {
			break
		}
		if page, err = ask[abi.RowsResponse](t, m, abi.Method_METHOD_FETCH,
			&abi.FetchRequest{Cursor: page.GetCursor()}); err != nil {
			t.Fatal(err)
		}
	}
	if seen != rows || pages < 5 {
		t.Errorf("%d rows in %d pages, want %d in at least 5", seen, pages, rows)
	}
	if _, err := m.query(t, 0, `SELECT repeat('x', 1100000)`); !errors.Is(err, facade.ErrRowTooLarge) {
		t.Errorf("a row over a page: %v", err)
	}
}

const manyRows = `SELECT repeat('x', 1000) FROM generate_series(1, 5000)`

func TestUnreadRowsGiveTheirConnectionBack(t *testing.T) {
	m := open(t)
	for range 8 { // more than there are connections
		page, err := m.query(t, 0, manyRows)
		if err != nil || page.GetCursor() == 0 {
			t.Fatalf("query of many rows: cursor %d, want one; error %v", page.GetCursor(), err)
		}
		if _, err := ask[abi.CloseRowsResponse](t, m, abi.Method_METHOD_CLOSE_ROWS,
			&abi.CloseRowsRequest{Cursor: page.GetCursor()}); err != nil {
			t.Fatal(err)
		}
		if _, err := ask[abi.RowsResponse](t, m, abi.Method_METHOD_FETCH,
			&abi.FetchRequest{Cursor: page.GetCursor()}); !errors.Is(err, facade.ErrRowsEnded) {
			t.Fatalf("fetch after close: %v", err)
		}
	}
}

func TestRowsInATransaction(t *testing.T) {
	m := open(t)
	transaction := m.begin(t)
	page, err := m.query(t, transaction, manyRows)
	if err != nil || page.GetCursor() != transaction {
		t.Fatalf("query in a transaction: cursor %d, want %d; error %v", page.GetCursor(), transaction, err)
	}
	if _, err := m.exec(t, transaction, `SELECT 1`); !errors.Is(err, facade.ErrRowsUnread) {
		t.Errorf("a statement beside unread rows: %v", err)
	}
	for page.GetCursor() != 0 {
		if page, err = ask[abi.RowsResponse](t, m, abi.Method_METHOD_FETCH,
			&abi.FetchRequest{Cursor: page.GetCursor()}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.exec(t, transaction, `INSERT INTO seats VALUES (1, 'a')`); err != nil {
		t.Error(err)
	}
	if _, err := ask[abi.CommitResponse](t, m, abi.Method_METHOD_COMMIT,
		&abi.CommitRequest{Transaction: transaction}); err != nil {
		t.Error(err)
	}
	if got := m.count(t); got != 1 {
		t.Errorf("%d rows after the commit, want 1", got)
	}
}

func TestEndOfTheProcessRollsBack(t *testing.T) {
	m := open(t)
	for range 3 {
		if _, err := m.exec(t, m.begin(t), `INSERT INTO seats VALUES (1, 'a') ON CONFLICT DO NOTHING`); err != nil {
			t.Fatal(err)
		}
		m.session.Close()
		m.session = m.Open()
	}
	if got := m.count(t); got != 0 {
		t.Errorf("%d rows after closed sessions, want none", got)
	}
}

func TestCancelledCallCancelsItsStatement(t *testing.T) {
	m := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	sleeping := make(chan error, 1)
	go func() {
		_, err := askWith[abi.ExecResponse](t, ctx, m, abi.Method_METHOD_EXEC,
			&abi.ExecRequest{Sql: `SELECT pg_sleep(60)`})
		sleeping <- err
	}()
	running := func(want string) {
		for count := ""; count != want; {
			err := m.db.Pool(t).QueryRow(t.Context(), `
				SELECT count(*)::text FROM pg_stat_activity
				WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'`).Scan(&count)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	running("1")
	cancel()
	if err := <-sleeping; !errors.Is(err, facade.ErrDatabaseUnavailable) {
		t.Errorf("a query whose call is canceled: error %v, want %v", err, facade.ErrDatabaseUnavailable)
	}
	running("0")
}

// permissionHolder is a caller with the permissions in the string.
type permissionHolder string

func (permissionHolder) Principal() principal.Principal { return principal.Person("holder") }

func (h permissionHolder) Allowed(_ context.Context, permission string) (bool, error) {
	return permission == string(h), nil
}

func TestAllowedSpeaksForRequestsUnderWayAndOwnPermissionsOnly(t *testing.T) {
	m := open(t)
	id, leave := m.EnterCall(permissionHolder("seats.book"))
	foreign, leaveForeign := m.EnterCall(permissionHolder("core.devices.manage"))
	defer leaveForeign()
	allowed := func(id uint64, permission string) bool {
		response, err := ask[abi.AllowedResponse](t, m, abi.Method_METHOD_ALLOWED,
			&abi.AllowedRequest{Call: id, Permission: permission})
		if err != nil {
			t.Fatal(err)
		}
		return response.GetAllowed()
	}
	if !allowed(id, "seats.book") || allowed(id, "seats.other") || allowed(foreign, "core.devices.manage") ||
		allowed(99, "seats.book") {
		t.Error("not what the caller holds")
	}
	leave()
	if allowed(id, "seats.book") {
		t.Error("a request that is over still answers")
	}
}

func TestInvalidRequests(t *testing.T) {
	m := open(t)
	if _, err := m.session.Serve(t.Context(), 250, nil); code(err) != "METHOD_UNKNOWN" {
		t.Errorf("Serve: code %.200q, want %.200q", code(err), "METHOD_UNKNOWN")
	}
	if _, err := m.session.Serve(t.Context(), link.Method(abi.Method_METHOD_QUERY),
		[]byte("\xff\xff\xff")); !errors.Is(err, facade.ErrRequest) {
		t.Errorf("Serve: error %v, want %v", err, facade.ErrRequest)
	}
}
