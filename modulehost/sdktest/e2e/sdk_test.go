package e2e_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

// module is a Module whose methods a test supplies.
type module struct {
	register func(*sdk.Registry)
	host     *sdk.Host
	stopped  int
}

func (m *module) Register(r *sdk.Registry) error {
	if m.register != nil {
		m.register(r)
	}
	return nil
}
func (m *module) Start(_ context.Context, h *sdk.Host) error { m.host = h; return nil }
func (m *module) Stop(context.Context) error                 { m.stopped++; return nil }

// bodySockets is less than a real process has, so that a test soon uses all of them.
const bodySockets = 2

// platform is the host's side of a served module: a real link, and the real facade on a real database.
type platform struct {
	t      *testing.T
	client *link.Client
	bodies *link.Bodies
	facade *facade.Facade
	logs   *observer.ObservedLogs
	served chan error
}

func serve(t *testing.T, m sdk.Module, schema string) *platform {
	t.Helper()
	config := facade.Config{ModuleID: "seats", Secrets: map[string]string{"apiToken": "marked"}}
	if schema != "" {
		db := databasetest.New(t)
		if _, err := migrations.Apply(t.Context(), migrations.Options{
			Connect: database.Config(db.Settings),
			Modules: []migrations.Line{{ID: "seats",
				Files: []migrations.File{{Version: 1, Name: "seats", SQL: []byte(schema)}}}},
		}); err != nil {
			t.Fatal(err)
		}
		roles, err := db.Database(t).ModuleRoles(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if config.Pool, err = db.Database(t).OpenModule(roles["seats"]); err != nil {
			t.Fatal(err)
		}
	}
	return serveWith(t, m, config)
}

// serveWith serves a module with the test's own facade.
func serveWith(t *testing.T, m sdk.Module, config facade.Config) *platform {
	t.Helper()
	hostCalls, incoming := socketpair(t)
	outgoing, moduleCalls := socketpair(t)
	core, logs := observer.New(zap.InfoLevel)
	config.Log = zap.New(core)
	p := &platform{t: t, facade: facade.New(config), logs: logs, served: make(chan error, 1)}
	session := p.facade.Open()
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = link.Serve(ctx, moduleCalls, session.Serve, 16)
	}()
	far := make(map[int]link.Stream)
	var near []*link.Socket
	for descriptor := 5; descriptor < 5+bodySockets; descriptor++ {
		ours, theirs := socketpair(t)
		near, far[descriptor] = append(near, link.NewSocket(descriptor, ours)), theirs
	}
	p.bodies = link.NewBodies(near)
	go func() {
		p.served <- sdk.ServeOn(m, incoming, outgoing, func(descriptor int) link.Stream { return far[descriptor] })
	}()
	p.client = link.NewClient(hostCalls)
	t.Cleanup(func() {
		p.bodies.Close()
		_ = p.client.Close()
		end()
		<-ended
		session.Close()
	})
	return p
}

func socketpair(t *testing.T) (net.Conn, net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var conns [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "link")
		if conns[i], err = net.FileConn(file); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	return conns[0], conns[1]
}

func (p *platform) call(method abi.Method, request, response any) error {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	return p.client.Call(ctx, link.Method(method), request.(proto.Message), response.(proto.Message))
}

// settings is the configuration of every test's module.
var settings = []*abi.Setting{
	{Key: "title", Value: &abi.Setting_Text{Text: "Foyer"}},
	{Key: "seconds", Value: &abi.Setting_Integer{Integer: 1 << 53}},
	{Key: "loud", Value: &abi.Setting_Boolean{Boolean: true}},
	{Key: "quiet", Value: &abi.Setting_Boolean{}},
}

// started registers and starts the module.
func (p *platform) started() *platform {
	p.t.Helper()
	if err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{Abi: abi.Version},
		&abi.RegisterResponse{}); err != nil {
		p.t.Fatal(err)
	}
	if err := p.call(abi.Method_METHOD_START, &abi.StartRequest{Database: true, Configuration: settings},
		&abi.StartResponse{}); err != nil {
		p.t.Fatal(err)
	}
	return p
}

func TestSecret(t *testing.T) {
	m := &module{}
	serve(t, m, "").started()
	if value, err := m.host.Secret(t.Context(), "apiToken"); value != "marked" || err != nil {
		t.Errorf("Secret: value %.200q, want %.200q; error %v, want none", value, "marked", err)
	}
	if value, err := m.host.Secret(t.Context(), "title"); value != "" || !errors.Is(err, sdk.ErrSecretAbsent) {
		t.Errorf("Secret: value %.200q, want %.200q; error %v, want %v",
			value, "", err, sdk.ErrSecretAbsent)
	}
}

func TestHandlerSeesAnOrdinaryRequest(t *testing.T) {
	var m *module
	m = &module{register: func(r *sdk.Registry) {
		r.Handle("PUT /slides/{id}", "seats.read", sdk.Buffered(100), func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			may, canErr := m.host.Can(r.Context(), "seats.write")
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, r.Method, " ", r.URL.Path, " ", r.URL.Query().Get("q"), " ", r.PathValue("id"), " ",
				r.Header.Get("Accept"), " ",
				string(body), " ", r.ContentLength, " ", sdk.Principal(r.Context()), " ", may, " ", err, " ", canErr)
		})
	}}
	p := serve(t, m, "").started()
	call, leave := p.facade.EnterCall(holder("seats.write"))
	defer leave()
	var got abi.HandleResponse
	err := p.call(abi.Method_METHOD_HANDLE, &abi.HandleRequest{
		Route: 0, Call: call, Method: "PUT", Path: []byte("/slides/a%2Fb"), Query: []byte("q=1+2"),
		Parameters: [][]byte{[]byte("a/b")},
		Body:       []byte("hello"),
		Headers:    []*abi.Header{{Name: []byte("Accept"), Value: []byte("text/plain")}},
		Principal:  &abi.Principal{Kind: abi.Principal_AUTHENTICATED, UserId: "u"},
	}, &got)
	const want = "PUT /slides/a/b 1 2 a/b text/plain hello 5 {authenticated u   } true <nil> <nil>"
	if err != nil || got.GetStatus() != http.StatusTeapot || string(got.GetBody()) != want {
		t.Errorf("PUT /slides/a%%2Fb: status %d, want 418; body %q, want %q; error %v", got.GetStatus(),
			got.GetBody(),
			want, err)
	}
}

type holder string

func (holder) Principal() principal.Principal { return principal.Person("holder") }

func (h holder) Allowed(_ context.Context, permission string) (bool, error) {
	return permission == string(h), nil
}

func TestLogReachesTheHost(t *testing.T) {
	m := &module{}
	p := serve(t, m, "").started()
	m.host.Log.With("who", "a").WithGroup("g").Warn("hello", "n", 1)
	m.host.Log.Debug("not sent")
	lines := p.logs.All()
	if len(lines) != 1 || lines[0].Level != zap.WarnLevel || lines[0].ContextMap()["text"] != "hello" {
		t.Fatalf("log %v, want one warning with the text hello", lines)
	}
	attributes, _ := lines[0].ContextMap()["attributes"].(map[string]string)
	if !reflect.DeepEqual(attributes, map[string]string{"who": "a", "g.n": "1"}) {
		t.Errorf("attributes %v, want who=a and g.n=1", attributes)
	}
}

const seatsTable = `CREATE TABLE seats (
	id uuid PRIMARY KEY, name text UNIQUE, price numeric, rows integer, wide boolean, at timestamptz,
	tags text[], extra jsonb, raw bytea, weight double precision)`

func TestValuesThereAndBack(t *testing.T) {
	m := &module{}
	serve(t, m, seatsTable).started()
	db := m.host.DB
	id, at := uuid.New(), time.Date(2026, 3, 1, 10, 0, 0, 123456000, time.UTC)
	type label string // a named type
	name := label("aisle")
	n, err := db.Exec(t.Context(), `INSERT INTO seats VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		id, &name, "12.50", int32(7), true, at, []string{"a", "b"}, `{"x":1}`, []byte{0, 1}, 1.5)
	if err != nil || n != 1 {
		t.Fatalf("Exec: error %v, want none; n %v, want %v", err, n, 1)
	}
	var (
		gotID    uuid.UUID
		gotName  string
		gotPrice string
		gotRows  int
		gotWide  bool
		gotAt    time.Time
		gotTags  []string
		gotExtra []byte
		gotRaw   []byte
		weight   float64
	)
	if err := db.QueryRow(t.Context(),
		`SELECT id, name, price::text, rows, wide, at, tags, extra, raw, weight FROM seats`).Scan(
		&gotID, &gotName, &gotPrice, &gotRows, &gotWide, &gotAt, &gotTags, &gotExtra, &gotRaw,
		&weight); err != nil {
		t.Fatal(err)
	}
	if gotID != id || gotName != "aisle" || gotPrice != "12.50" || gotRows != 7 || !gotWide ||
		!gotAt.Equal(at) ||
		!reflect.DeepEqual(gotTags, []string{"a", "b"}) || string(gotExtra) != `{"x": 1}` ||
		string(gotRaw) != "\x00\x01" || weight != 1.5 {
		t.Error(gotID, gotName, gotPrice, gotRows, gotWide, gotAt, gotTags, string(gotExtra), gotRaw, weight)
	}

	var missing *string
	var null sql.NullInt64
	if err := db.QueryRow(t.Context(), `SELECT $1::text, $2::bigint, $3::text[] = '{}'`, nil, (*int)(nil),
		[]string{}).Scan(&missing, &null, &gotWide); err != nil ||
		missing != nil || null.Valid || !gotWide {
		t.Errorf("read %v, %v, %v, error %v; want two NULLs and an empty array", missing, null, gotWide, err)
	}
	if err := db.QueryRow(t.Context(), `SELECT NULL::text`).Scan(&gotName); err == nil {
		t.Error("NULL was scanned into a string")
	}
	if _, err := db.Exec(t.Context(), `SELECT $1`, struct{}{}); err == nil {
		t.Error("a struct was sent")
	}
}

func TestNoRowsAndErrors(t *testing.T) {
	m := &module{}
	serve(t, m, seatsTable).started()
	db := m.host.DB
	if err := db.QueryRow(t.Context(), `SELECT id FROM seats`).Scan(new(string)); !errors.Is(err,
		sql.ErrNoRows) {
		t.Errorf("Scan: error %v, want %v", err, sql.ErrNoRows)
	}
	insert := func() error {
		_, err := db.Exec(t.Context(), `INSERT INTO seats (id, name) VALUES (gen_random_uuid(), 'a')`)
		return err
	}
	if err := insert(); err != nil {
		t.Fatal(err)
	}
	said := (*sdk.DatabaseError)(nil)
	if err := insert(); !errors.As(err, &said) || said.SQLState != "23505" ||
		said.Constraint != "seats_name_key" {
		t.Errorf("insert: %v, want a *sdk.DatabaseError of SQLSTATE 23505 and constraint seats_name_key", err)
	}
}

func TestRowsOverManyPages(t *testing.T) {
	m := &module{}
	serve(t, m, seatsTable).started()
	for range 6 { // more than there are connections, so each was released
		rows, err := m.host.DB.Query(t.Context(), `SELECT n, repeat('x', 100000) FROM generate_series(1, 40) n`)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for rows.Next() {
			var n int
			var text string
			if err := rows.Scan(&n, &text); err != nil || n != seen+1 || len(text) != 100000 {
				t.Fatalf("row %d is %d with %d bytes, want 100000; error %v", seen+1, n, len(text), err)
			}
			seen++
		}
		if err := rows.Err(); err != nil || seen != 40 ||
			!reflect.DeepEqual(rows.Columns(), []string{"n", "repeat"}) {
			t.Fatalf("%d rows of %v, want 40 of n and repeat; error %v", seen, rows.Columns(), err)
		}
		if rows, err = m.host.DB.Query(t.Context(),
			`SELECT n, repeat('x', 100000) FROM generate_series(1, 40) n`); err != nil || !rows.Next() {
			t.Fatal(err)
		}
		rows.Close()
		rows.Close()
		if rows.Next() {
			t.Fatal("closed rows go on")
		}
	}
}

func TestInTx(t *testing.T) {
	m := &module{}
	serve(t, m, seatsTable).started()
	db := m.host.DB
	insert := func(name string, end func() error) func(*sdk.Tx) error {
		return func(tx *sdk.Tx) error {
			if _, err := tx.Exec(t.Context(), `INSERT INTO seats (id, name) VALUES (gen_random_uuid(), $1)`,
				name); err != nil {
				return err
			}
			return end()
		}
	}
	refused := errors.New("no")
	if err := db.InTx(t.Context(), insert("kept", func() error { return nil })); err != nil {
		t.Error(err)
	}
	if err := db.InTx(t.Context(), insert("dropped", func() error { return refused })); !errors.Is(err,
		refused) {
		t.Errorf("InTx: error %v, want %v", err, refused)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := db.InTx(ctx, insert("cancelled", func() error { cancel(); return nil })); err == nil {
		t.Error("a cancelled transaction was committed")
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.InTx(t.Context(), insert("panicked", func() error { panic("no") }))
	}()
	var names []string
	if err := db.QueryRow(t.Context(), `SELECT array_agg(name) FROM seats`).Scan(&names); err != nil ||
		strings.Join(names, " ") != "kept" {
		t.Errorf("Scan: error %v, want none; join %.200q, want %.200q; names %v",
			err, strings.Join(names, " "), "kept", names)
	}
}
