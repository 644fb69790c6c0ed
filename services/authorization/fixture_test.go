package authorization_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	read   = "test.things.read"
	manage = "test.things.manage"
	purge  = "test.things.purge"
	grants = "core.authorization.grants.manage"
)

// harness is one service with its own database.
type harness struct {
	*databasetest.DB
	service *authorization.Service
}

func setup(t testing.TB) harness {
	t.Helper()
	db := databasetest.New(t)
	return harness{db, serve(t, db.Pool(t), nil)}
}

// serve makes a service with a long timeout, so that its tests pass on a loaded machine.
func serve(t testing.TB, pool *pgxpool.Pool, devices authorization.Devices) *authorization.Service {
	t.Helper()
	return serveFrom(t, authorization.WithLongTimeout(authorization.NewStore(pool)), devices)
}

func serveFrom(
	t testing.TB,
	store *authorization.Store,
	devices authorization.Devices,
) *authorization.Service {
	t.Helper()
	registry, err := authorization.NewRegistry([]authorization.Permission{
		{ID: read, Baseline: authorization.Authenticated, ModuleID: "test", Description: "See \"things\""},
		{ID: manage, Baseline: authorization.Restricted, ModuleID: "test"},
		{ID: purge, Baseline: authorization.Restricted, ModuleID: "test"},
		{ID: grants, Baseline: authorization.Restricted, Description: "Give and revoke permissions"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return authorization.New(registry, store, devices, nil)
}

// second returns another process on the same database.
func (h harness) second(t testing.TB) harness {
	t.Helper()
	return harness{h.DB, serve(t, h.AnotherPool(t), nil)}
}

func (h harness) person(t testing.TB, address string) string {
	t.Helper()
	return h.text(
		t,
		"INSERT INTO core.person (email, name) VALUES ($1, 'A person') RETURNING id::text",
		address,
	)
}

// owner returns a caller who may use every route.
func (h harness) owner(t testing.TB) principal.Principal {
	t.Helper()
	id := h.person(t, "owner@example.org")
	h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", id)
	return principal.Person(id)
}

// insert writes a grant directly into the database. columns and values follow person_id and permission_id.
func (h harness) insert(t testing.TB, person, permission, columns, values string) (id string) {
	t.Helper()
	return h.text(
		t,
		"INSERT INTO core.permission_grant (person_id, permission_id"+columns+") "+
			"VALUES ($1, $2"+values+") RETURNING id::text",
		person,
		permission,
	)
}

// text returns the single text that a query selects.
func (h harness) text(t testing.TB, sql string, args ...any) (text string) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), sql, args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func (h harness) count(t testing.TB, from string, args ...any) (n int) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), "SELECT count(*) FROM "+from, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// assertRows checks how many grants and audit rows exist.
func (h harness) assertRows(t testing.TB, grants, audits int) {
	t.Helper()
	if n := h.count(t, "core.permission_grant"); n != grants {
		t.Errorf("%d grants, want %d", n, grants)
	}
	if n := h.count(t, "core.permission_grant_audit"); n != audits {
		t.Errorf("%d audit rows, want %d", n, audits)
	}
}

func (h harness) send(who principal.Principal, method, target, body string) *httptest.ResponseRecorder {
	return h.sendAs(h.service.Caller(who), method, target, body)
}

func (h harness) sendAs(caller httpapi.Caller, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return httpapitest.Send(r, h.service.Routes(), caller)
}

// grantBody returns the body of POST /api/v1/grants; more is appended to its members.
func grantBody(person, permission, more string) string {
	return `{"userId":"` + person + `","permissionId":"` + permission + `"` + more + `}`
}

// issue issues a grant and returns its id.
func (h harness) issue(t testing.TB, who principal.Principal, person, permission string) string {
	t.Helper()
	w := h.send(who, "POST", "/api/v1/grants", grantBody(person, permission, ""))
	if w.Code != http.StatusCreated {
		t.Fatalf("POST /api/v1/grants: status %d, want 201; body %s", w.Code, w.Body)
	}
	return decode[struct {
		ID string `json:"id"`
	}](t, w).ID
}

func (h harness) revoke(who principal.Principal, id string) *httptest.ResponseRecorder {
	return h.send(who, "POST", "/api/v1/grants/"+id+"/revoke", "{}")
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) (into T) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &into); err != nil {
		t.Fatalf("body %s is not the JSON wanted: %v", w.Body, err)
	}
	return into
}

func assertResponse(t testing.TB, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || w.Body.String() != body {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, body)
	}
}

func assertCode(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	assertResponse(t, w, status, `{"code":"`+code+`"}`)
}

func allowed(t testing.TB, caller httpapi.Caller, permission string) bool {
	t.Helper()
	yes, err := caller.Allowed(t.Context(), permission)
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

// breakStore makes every query for grants fail.
func (h harness) breakStore(t testing.TB) {
	t.Helper()
	h.Exec(t, "ALTER TABLE core.permission_grant RENAME TO lost")
}

// awaitBlocked waits until this number of the database's sessions wait for a lock.
func (h harness) awaitBlocked(t testing.TB, sessions int) {
	t.Helper()
	await(t, func() bool {
		return h.count(
			t,
			"pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
		) == sessions
	})
}

// await waits until condition holds. It fails the test after a time that no healthy run needs.
func await(t testing.TB, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not hold within the deadline")
		}
	}
}
