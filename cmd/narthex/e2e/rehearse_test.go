package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// keepWith returns an installation with these modules and a database user with only the rights of the
// handbook.
func keepWith(t *testing.T, modules ...string) *installation {
	t.Helper()
	i := prepare(t, databasetest.Empty(t), modules...)
	i.useHandbookUser(t)
	return i
}

// state returns everything in the installation's database, and the server's roles and databases that belong
// to the installation.
func (i *installation) state(t *testing.T) map[string]string {
	t.Helper()
	pool := i.db.Pool(t)
	found := make(map[string]string)
	rows, err := pool.Query(t.Context(), `
		SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname)
		FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema)'`)
	var tables []string
	if err == nil {
		tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Fatal(err)
	}
	read := func(name, sql string, args ...any) {
		t.Helper()
		var text string
		if err := pool.QueryRow(t.Context(), sql, args...).Scan(&text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = text
	}
	for _, table := range tables {
		read(table, `SELECT coalesce(md5(string_agg(r::text, chr(10) ORDER BY r::text)), '') FROM `+table+` AS r`)
	}
	keeper := "keeper_" + i.db.Settings.Name
	read("roles", `
		SELECT coalesce(string_agg(r::text, chr(10) ORDER BY r::text), '')
		FROM (SELECT a.rolname, a.rolpassword, a.rolsuper, a.rolcreatedb, d.setconfig
		      FROM pg_authid AS a LEFT JOIN pg_db_role_setting AS d ON d.setrole = a.oid
		      WHERE a.rolname = $1 OR pg_has_role($1, a.oid, 'MEMBER')) AS r`, keeper)
	read("databases", `
		SELECT string_agg(datname || ' ' || coalesce(datacl::text, ''), chr(10) ORDER BY datname)
		FROM pg_database WHERE pg_get_userbyid(datdba) = $1`, keeper)
	return found
}

func (i *installation) assertState(t *testing.T, when string, want map[string]string, except ...string) {
	t.Helper()
	got := i.state(t)
	for name := range want {
		if got[name] != want[name] && !slices.Contains(except, name) {
			t.Errorf("%s %s is not the same", when, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s there are %d tables, want %d", when, len(got), len(want))
	}
}

// load sends requests until it is stopped; every response must be a 200.
func (i *installation) load(t *testing.T, cookie string, paths ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	var answered atomic.Int64
	for _, path := range paths {
		visitor := i.visitor(t)
		visitor.cookie = cookie
		workers.Go(func() {
			pace := time.NewTicker(10 * time.Millisecond)
			defer pace.Stop()
			for ctx.Err() == nil {
				<-pace.C
				got, err := visitor.doContext(ctx, "GET", path, nil)
				if ctx.Err() == nil && (err != nil || got.status != http.StatusOK) {
					t.Errorf("GET %s meanwhile: status %d, %v; want 200", path, got.status, err)
				}
				answered.Add(1)
			}
		})
	}
	return func() {
		cancel()
		workers.Wait()
		t.Logf("%d requests meanwhile", answered.Load())
	}
}

// rehearse runs upgrade:rehearse --json with a folder of its own for temporary files, which must be empty
// afterwards.
func (i *installation) rehearse(t *testing.T, args ...string) (r platform.Rehearsal, run *invocation) {
	t.Helper()
	environment := maps.Clone(i.environment)
	environment["TMPDIR"] = sharedFolder(t)
	run = runCommand(t, environment, "", append([]string{"upgrade:rehearse", "--json"}, args...)...)
	run.awaitExit(t)
	if err := json.Unmarshal([]byte(run.stdout.String()), &r); err != nil {
		t.Fatalf("upgrade:rehearse --json: %v; exit %d, %s%s", err, run.awaitExit(t), run.stdout.String(),
			run.stderr.String())
	}
	assertEmpty(t, environment["TMPDIR"])
	i.assertNoScratch(t)
	return r, run
}

func assertEmpty(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// TestRehearsal: with all reference modules, while the live platform serves, a rehearsal finds that the
// upgrade would work, changes nothing and leaves nothing behind. The database user has only CREATEDB, and the
// functions of roles.sql.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	i := keepWith(t, "announcements", "countdown", "home", "stage", "rota", "calendar")
	i.migrateWithOwner(t)
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	const secret = "a key of this test alone, long enough"
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = secret
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	owner.create(t, 201, slides, map[string]any{"title": "Shared lunch", "enabled": true})
	eventually(t, "the schedules are declared", func() bool {
		var declared int
		err := i.db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.module_schedule`).Scan(&declared)
		return err == nil && declared > 0
	})
	before := i.state(t)
	stop := i.load(t, owner.cookie, slides, "/api/v1/health/ready", "/api/v1/modules/stage/services?limit=1")
	r, run := i.rehearse(t)
	stop()
	if run.awaitExit(t) != cli.ExitSuccess || r.Verdict != platform.WouldWork || len(r.Findings) > 0 {
		t.Errorf("exit %d, verdict %s, findings %v; want 0, %s and none", run.awaitExit(t), r.Verdict, r.Findings,
			platform.WouldWork)
	}
	i.assertState(t, "after the rehearsal", before)
	if len(r.Modules) != 6 || r.Database.Rows == 0 || len(r.Migrations) > 0 {
		t.Errorf("the rehearsal is %+v", r)
	}
	reads := map[string]string{"announcements": "GET /slides", "stage": "GET /services", "rota": "GET /mine",
		"calendar": "GET /rooms"} // countdown and home have no routes
	for _, m := range r.Modules {
		if browserCode := m.ID != "countdown"; m.Next.State != "running" || (len(m.UI) > 0) != browserCode {
			t.Errorf("%s: %+v, want it to run, and to be asked for its scripts", m.ID, m)
		}
		if slices.ContainsFunc(m.UI, func(a platform.AskedScript) bool { return a.Status != http.StatusOK }) {
			t.Errorf("%s answered %+v, want 200 to each", m.ID, m.UI)
		}
		var read platform.AskedRoute
		if m.Read != nil {
			read = *m.Read
		}
		var want platform.AskedRoute
		if route := reads[m.ID]; route != "" {
			want = platform.AskedRoute{Route: route, Status: http.StatusOK}
		}
		if read != want {
			t.Errorf("%s was asked for %+v, want %+v", m.ID, read, want)
		}
	}
	for _, private := range []string{secret, "keeper:", i.environment["SERVICE_IDENTITY_SECRET"]} {
		if strings.Contains(run.stdout.String()+run.stderr.String(), private) {
			t.Errorf("the rehearsal prints %q", private)
		}
	}
	said := runCommand(t, i.environment, "", "upgrade:rehearse").stdout.String()
	lines := strings.Split(strings.TrimSpace(said), "\n")
	const verdict = "The upgrade would work: 0 migrations in 0.0 s, 6 of 6 modules would run."
	if last := lines[len(lines)-1]; last != verdict {
		t.Errorf("the last line is %q, want %q", last, verdict)
	}
}

// TestRehearsalWithAPicture: the buckets of a rehearsal are empty, which is no fault of a module: one whose
// notice has a picture would work. The live platform, too, exports the notice when its picture is lost.
func TestRehearsalWithAPicture(t *testing.T) {
	t.Parallel()
	i := keepWith(t, "announcements")
	i.migrateWithOwner(t)
	objects := storagetest.New(t)
	i.useObjectStorage("http://" + objects.Address)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	var content bytes.Buffer
	if err := jpeg.Encode(&content, image.NewGray(image.Rect(0, 0, 640, 360)), nil); err != nil {
		t.Fatal(err)
	}
	var picture struct {
		ID string `json:"id"`
	}
	const module = "/api/v1/modules/announcements"
	uploaded := owner.do("POST", module+"/images", &content)
	err := json.Unmarshal([]byte(uploaded.body), &picture)
	if err != nil || uploaded.status != http.StatusCreated {
		t.Fatalf("upload: status %d, want 201; body %s", uploaded.status, uploaded.body)
	}
	owner.create(t, 201, slides, map[string]any{"title": "Shared lunch", "imageId": picture.ID, "enabled": true})
	r, run := i.rehearse(t)
	if run.awaitExit(t) != cli.ExitSuccess || r.Verdict != platform.WouldWork || len(r.Findings) > 0 ||
		len(r.Modules) != 1 || r.Modules[0].Read == nil || r.Modules[0].Read.Route != "GET /slides" ||
		r.Modules[0].Read.Status != http.StatusOK {
		t.Errorf("exit %d, verdict %s, findings %v, modules %+v; want 0, %s, and 200 from GET /slides",
			run.awaitExit(t), r.Verdict, r.Findings, r.Modules, platform.WouldWork)
	}
	objects.Remove(t)
	got := owner.do("GET", module+"/export", nil)
	if got.status != http.StatusOK || !strings.Contains(got.body, `"pictures":[],"missing":["`+picture.ID+`"]`) {
		t.Errorf("GET /export without the object: status %d, body %s; want 200, and its id in missing",
			got.status, got.body)
	}
}

// TestRehearsalReachesNobody: a module of the copy runs for longer than the live platform needs to make a due
// run and to deliver an erasure. The copy does neither. It sends no mail, publishes nothing, and the module
// has no real secret.
func TestRehearsalReachesNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("three rehearsals")
	}
	t.Parallel()
	i := keepWith(t, "loud")
	mails := i.mailbox(t)
	i.environment["SERVICE_MODULE_SECRET__LOUD__TOKEN"] = "the true token"
	i.migrateWithOwner(t)
	i.start(t)
	mails.next(t)
	due := func(pool interface {
		Exec(ctx context.Context, sql string, args ...any) error
	}) {
		for _, sql := range []string{
			`UPDATE core.module_schedule SET due_at = now() - interval '1 hour', free_at = now()`,
			`INSERT INTO core.person_erasure (person_id, module_id) SELECT id, 'loud' FROM core.person
				ON CONFLICT (person_id, module_id) DO UPDATE SET done_at = NULL, next_try_at = now()`,
		} {
			if err := pool.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	did := func(conn *pgx.Conn) (did []string) {
		t.Helper()
		rows, err := conn.Query(t.Context(), `SELECT what FROM module_loud.done ORDER BY what`)
		if err == nil {
			did, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil && !strings.Contains(err.Error(), "42P01") {
			t.Fatal(err)
		}
		return did
	}
	live := i.connect(t, i.db.Settings.Name)
	eventually(t, "the schedule is declared", func() bool {
		var declared bool
		err := live.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM core.module_schedule)`).Scan(&declared)
		return err == nil && declared
	})
	execute(t, live, `UPDATE module_loud.gate SET open = false`)

	server := i.silentServer(t)
	environment := maps.Clone(i.environment)
	environment["SERVICE_REALTIME_NATS_URL"] = "nats://" + server
	environment["TMPDIR"] = sharedFolder(t)
	run := startCommand(t, environment, "", "upgrade:rehearse", "--json")
	var copied *pgx.Conn
	eventually(t, "the module of the copy is asked", func() bool {
		select {
		case <-run.ended:
			t.Fatal("the rehearsal has ended")
		default:
		}
		if copied == nil {
			copied = i.connectScratch(t)
		}
		return copied != nil && slices.Contains(did(copied), "waited")
	})
	due(executor{copied})
	for range 2 { // the copy, if it polled at all, would poll once within two polls of the live platform
		due(executor{live})
		eventually(t, "the live platform has done both", func() bool {
			var done bool
			err := live.QueryRow(t.Context(), `
				SELECT (SELECT bool_and(due_at > now()) FROM core.module_schedule)
					AND (SELECT bool_and(done_at IS NOT NULL) FROM core.person_erasure)`).Scan(&done)
			return err == nil && done
		})
	}
	want := []string{"started with " + strings.Repeat("rehearsal-", 4), "started with the true token", "waited"}
	if got := did(copied); !slices.Equal(got, want) { // the second entry was made before the copy
		t.Errorf("in the copy the module did %q, want %q", got, want)
	}
	execute(t, copied, `UPDATE module_loud.gate SET open = true`)
	_ = copied.Close(t.Context())
	if run.awaitExit(t) != cli.ExitSuccess {
		t.Errorf("exit %d: %s%s", run.awaitExit(t), run.stdout.String(), run.stderr.String())
	}
	if len(mails.arrived) > 0 {
		t.Error("a mail was sent")
	}
	i.assertNoScratch(t)
	assertEmpty(t, environment["TMPDIR"])
}

// silentServer returns an address to which nothing may connect.
func (i *installation) silentServer(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_ = connection.Close()
			t.Error("somebody connects to the NATS server")
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-ended })
	return listener.Addr().String()
}

type executor struct{ conn *pgx.Conn }

// Exec runs a statement.
func (e executor) Exec(ctx context.Context, sql string, args ...any) error {
	_, err := e.conn.Exec(ctx, sql, args...)
	return err
}

func execute(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// connect opens a session as the server's administrator in a database.
func (i *installation) connect(t *testing.T, name string) *pgx.Conn {
	t.Helper()
	address, err := url.Parse(i.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	conn, err := pgx.Connect(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// connectScratch opens a session in the scratch database of this installation; nil while there is none.
func (i *installation) connectScratch(t *testing.T) *pgx.Conn {
	t.Helper()
	var name string
	err := i.db.Pool(t).QueryRow(t.Context(), `SELECT datname::text FROM pg_database
		WHERE datname LIKE 'scratch%' AND pg_get_userbyid(datdba) = $1`, "keeper_"+i.db.Settings.Name).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return i.connect(t, name)
}

// given returns a folder with the module base in another version, with these migrations and this addition to
// its manifest.
func given(t *testing.T, version, more string, migrations ...string) (dir string) {
	t.Helper()
	dir = sharedFolder(t)
	folder := filepath.Join(dir, "base")
	if err := os.CopyFS(folder, os.DirFS(builtModule(t, "base"))); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(folder, "module.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(manifest), `"version": "1.0.0"`, `"version": "`+version+`"`, 1)
	text = strings.Replace(text, `"entrypoints":`,
		`"database": { "abi": 1, "migrations": "migrations" }, `+more+` "entrypoints":`, 1)
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "migrations"), 0o755),
		os.WriteFile(filepath.Join(folder, "module.json"), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	for n, sql := range migrations {
		name := filepath.Join(folder, "migrations", fmt.Sprintf("%04d_step.sql", n+1))
		if err := os.WriteFile(name, []byte(sql), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRehearsalFindsWhatWouldGoWrong: a rehearsal reports each kind of problem, while the live platform
// serves and is not changed.
func TestRehearsalFindsWhatWouldGoWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("a dozen rehearsals")
	}
	t.Parallel()
	i := keepWith(t)
	const seats = `CREATE TABLE seat (id int); INSERT INTO seat VALUES (1), (1); CREATE TABLE free (id int);`
	i.environment["SERVICE_MODULES_DIR"] = given(t, "1.0.0", "", seats)
	i.migrateWithOwner(t)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	before := i.state(t)
	stop := i.load(t, owner.cookie, "/api/v1/modules/base/plain", "/api/v1/health/ready")
	for _, row := range []struct {
		name, dir string
		verdict   platform.Verdict
		code      string
		text      string
	}{
		{
			"a migration that fails on the rows that are there",
			given(t, "1.1.0", "", seats, `ALTER TABLE seat ADD PRIMARY KEY (id)`, `CREATE TABLE later (id int)`),
			platform.WouldFail, "MIGRATION_FAILED", "base 0002_step, SQLSTATE 23505",
		},
		{
			"a long lock",
			given(t, "1.1.0", "", seats,
				`LOCK TABLE seat IN ACCESS EXCLUSIVE MODE; LOCK TABLE free; SELECT pg_sleep(1.2)`),
			platform.WouldWarn, "", "holds AccessExclusiveLock on module_base.seat (2 rows) for 1.",
		},
		{
			"short locks",
			given(t, "1.1.0", "", seats, `ALTER TABLE seat ADD row int`),
			platform.WouldWork, "", "",
		},
		{
			"a configuration that is missing",
			given(t, "1.1.0", `"configuration": [{ "key": "title", "type": "string", "required": true }],`, seats),
			platform.WouldFail, "MODULE_BLOCKED", "base would not run: the configuration key title has no value yet.",
		},
		{
			"a module that needs another one",
			given(t, "1.1.0", `"dependencies": {"required": [{"kind": "module", "id": "choir", "range": "*"}]},`,
				seats),
			platform.WouldFail, "DEPENDENCY_MISSING", "module base",
		},
		{"an older version", given(t, "0.9.0", "", seats), platform.WouldFail, "PACKAGE_DOWNGRADE", "base: "},
		{
			"a migration that was changed",
			given(t, "1.1.0", "", seats+" -- and more"),
			platform.WouldFail, "MIGRATION_HISTORY_CHANGED", "base",
		},
	} {
		r, run := i.rehearse(t, "--modules-dir", row.dir)
		status, stderr := cli.ExitSuccess, ""
		if row.verdict == platform.WouldFail {
			status, stderr = cli.ExitFailure, "REHEARSAL_FAILED: "
		}
		if run.awaitExit(t) != status || !strings.HasPrefix(run.stderr.String(), stderr) ||
			r.Verdict != row.verdict {
			t.Errorf("%s: exit %d, verdict %s, said %q; want %d, %s and %s", row.name, run.awaitExit(t), r.Verdict,
				run.stderr.String(), status, row.verdict, stderr)
		}
		if row.text != "" && !slices.ContainsFunc(r.Findings, func(f platform.RehearsalFinding) bool {
			return f.Code == row.code && strings.Contains(f.Text, row.text) && f.Failure == (status != 0)
		}) || len(r.Findings) > 1 {
			t.Errorf("%s: findings %+v, want one of %s %q", row.name, r.Findings, row.code, row.text)
		}
		switch row.name {
		case "a migration that fails on the rows that are there":
			if len(r.Pending) != 2 || r.Pending[1].File != "0003_step.sql" ||
				!strings.Contains(run.stderr.String(), "base/0002_step.sql, line 1") {
				t.Errorf("pending are %+v, said %q; want the file that failed and the next, and the place", r.Pending,
					run.stderr.String())
			}
		case "a long lock":
			if m := r.Modules[0]; m.Installed != "1.0.0" || m.Version != "1.1.0" ||
				!slices.Equal(m.Changes.Migrations, []string{"0002_step.sql"}) || r.Migrations[0].Seconds < 1.2 {
				t.Errorf("the module is %+v, the migrations are %+v", m, r.Migrations)
			}
		}
	}
	stop()
	i.assertState(t, "after the rehearsals", before)

	// One of the platform's own migrations fails because of a manual change of the database.
	newest := newestCoreMigration(t)
	i.db.Exec(t, `DELETE FROM core.migration WHERE line = 'core' AND version = $1`, newest.version)
	own, run := i.rehearse(t)
	if run.awaitExit(t) != cli.ExitFailure || own.Verdict != platform.WouldFail || len(own.Findings) != 1 ||
		own.Findings[0].Code != "MIGRATION_FAILED" || len(own.Pending) == 0 || own.Pending[0].Line != "core" ||
		!strings.Contains(own.Findings[0].Text, "core "+newest.name+", SQLSTATE 42") {
		t.Errorf("a failing migration of the platform: exit %d, %+v, pending %+v, said %s", run.awaitExit(t),
			own.Findings, own.Pending, run.stderr.String())
	}

	i.db.Exec(t, `ALTER ROLE keeper_`+i.db.Settings.Name+` NOCREATEDB`)
	r := runCommand(t, i.environment, "", "upgrade:rehearse")
	if said := r.stderr.String(); r.awaitExit(t) != cli.ExitFailure ||
		!strings.HasPrefix(said, "SCRATCH_DATABASE_UNAVAILABLE: ") ||
		!strings.Contains(said, `run: ALTER ROLE "keeper_`+i.db.Settings.Name+`" CREATEDB;`) {
		t.Errorf("without the right to create databases: exit %d, %s", r.awaitExit(t), said)
	}
}

// TestRehearsalOfPackages: a rehearsal shows what modules:install of packages would change, without
// installing them.
func TestRehearsalOfPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("several rehearsals")
	}
	t.Parallel()
	i := keepWith(t, "aside")
	i.migrateWithOwner(t)
	dir := sharedFolder(t)
	for _, id := range []string{"board", "base"} {
		i.mustRun(t, "modules:package", "--dir", builtModule(t, id), "--out", dir)
	}
	before := i.state(t)
	r, run := i.rehearse(t, "--modules-dir", dir)
	i.assertState(t, "after the rehearsal", before)
	if run.awaitExit(t) != cli.ExitSuccess || len(r.Modules) != 3 {
		t.Fatalf("exit %d, %+v; want 0 and three modules", run.awaitExit(t), r)
	}
	isBase := func(m platform.RehearsedModule) bool { return m.ID == "base" }
	base := r.Modules[slices.IndexFunc(r.Modules, isBase)]
	if base.Installed != "" || base.Version != "1.0.0" ||
		base.Read.Route != "GET /headers" || base.Read.Status != 202 ||
		!slices.Equal(base.Changes.PermissionsAdded, []string{"base.read", "base.restricted"}) ||
		len(base.Changes.RoutesAdded) != 6 {
		t.Errorf("base is %+v", base)
	}
	installed, err := os.ReadDir(i.environment["SERVICE_MODULES_DIR"])
	if err != nil || len(installed) != 1 {
		t.Errorf("installed are %v, %v; want one module", installed, err)
	}
	packed, _ := filepath.Glob(filepath.Join(dir, "board-*.tar.gz"))
	if err := os.Truncate(packed[0], 1000); err != nil {
		t.Fatal(err)
	}
	if r, _ := i.rehearse(t, "--modules-dir", dir); len(r.Findings) == 0 ||
		r.Findings[0].Code != "PACKAGE_CHECKSUM_MISMATCH" {
		t.Errorf("with a package that is cut: %+v", r.Findings)
	}
}

// TestRehearsalKilled kills a rehearsal at four points, and interrupts it with Ctrl-C at two. Ctrl-C leaves
// nothing behind; what a kill leaves, the next run removes.
func TestRehearsalKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it kills many commands")
	}
	i := keepWith(t, "announcements", "board")
	i.migrateWithOwner(t)
	before := i.state(t)
	i.environment["TMPDIR"] = sharedFolder(t)
	dir := sharedFolder(t)
	i.mustRun(t, "modules:package", "--dir", builtModule(t, "base"), "--out", dir)
	rehearse := []string{"upgrade:rehearse", "--modules-dir", dir}
	took := i.timed(t, rehearse...)
	const kills, interrupts = 4, 2
	for point := range kills {
		i.kill(t, took*time.Duration(point+1)/time.Duration(kills+1), rehearse...)
	}
	i.mustRun(t, rehearse...)
	i.assertNoScratch(t)
	assertEmpty(t, i.environment["TMPDIR"])
	i.assertState(t, "after the kills", before)
	for point := range interrupts {
		r := startCommand(t, i.environment, "", rehearse...)
		select {
		case <-r.ended:
		case <-time.After(took * time.Duration(point+1) / time.Duration(interrupts+1)): // when to interrupt
			r.signal(t, syscall.SIGINT)
		}
		if status, said := r.awaitExit(t), r.stderr.String(); status != cli.ExitSuccess &&
			said != "REHEARSAL_FAILED: It was interrupted, which says nothing of the upgrade.\n" {
			t.Errorf("after Ctrl-C: exit %d, %s", status, said)
		}
		i.assertNoScratch(t)
		assertEmpty(t, i.environment["TMPDIR"])
	}
	i.assertState(t, "after Ctrl-C", before)
}

// newestCoreMigration returns the last of the platform's own migrations, as a ledger names it.
func newestCoreMigration(t *testing.T) (m struct {
	version int
	name    string
}) {
	t.Helper()
	files, err := filepath.Glob("../../../migrations/core/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no migrations:", err)
	}
	m.version, m.name = len(files), strings.TrimSuffix(filepath.Base(slices.Max(files)), ".sql")
	return m
}
