package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/porttest"
)

// assertOrder checks that the texts appear in the log in this order.
func assertOrder(t *testing.T, log string, texts ...string) {
	t.Helper()
	rest := log
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("%q does not follow in the log", text)
			return
		}
		rest = after
	}
}

func TestStopFinishesRequestsAndStopsModulesInReverse(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail")
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)

	// A request whose body is not complete: the server has asked for the rest (100 Continue), so the handler
	// runs.
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/modules/base/echo HTTP/1.1\r\nHost: localhost\r\nOrigin: %s\r\nCookie: "+
		"%s\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
		i.address, owner.cookie)
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("POST /echo with Expect: 100-continue: first line %.400q, error %v; want 100 Continue", line, err)
	}
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}

	daemon.signal(t, syscall.SIGTERM)
	daemon.awaitOutput(t, &daemon.stderr, `"msg":"stopping"`)
	eventually(t, "the listener is closed", func() bool {
		probe, err := net.Dial("tcp", strings.TrimPrefix(i.address, "http://"))
		if err == nil {
			_ = probe.Close()
		}
		return err != nil
	})
	if strings.Contains(daemon.stderr.String(), "tail stopped") {
		t.Error("a module was stopped before the requests under way were done")
	}
	if _, err := io.WriteString(conn, "0123456789"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatalf("the request under way was cut: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "0123456789" || response.StatusCode != http.StatusOK {
		t.Errorf("the request under way: status %d, want 200; body %q, want 0123456789; error %v",
			response.StatusCode, body, err)
	}
	if status := daemon.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("narthex api:start after SIGTERM: exit status %d, want %d", status, cli.ExitSuccess)
	}
	assertOrder(t, daemon.stderr.String(), "base started", "tail started", `"msg":"ready"`, `"msg":"stopping"`,
		"tail stopped", "base stopped", `"msg":"stopped"`)
}

func TestFailedStartHookRollsBack(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail", "failing")
	daemon := startCommand(t, i.environment, "", "api:start")
	if status := daemon.awaitExit(t); status != cli.ExitFailure {
		t.Errorf("narthex api:start with a failing start hook: exit status %d, want %d", status,
			cli.ExitFailure)
	}
	log := daemon.stderr.String()
	assertOrder(t, log, "base started", "tail started", "failing started", "failing stopped", "tail stopped",
		"base stopped", "MODULE_START_FAILED: ")
	if !strings.Contains(log, "MODULE_START_FAILED: The module failing ") {
		t.Error("the failure does not name the module")
	}
	if strings.Contains(log, `"msg":"ready"`) || strings.Contains(log, "hunter2") {
		t.Error("the platform was ready, or repeats the module's words")
	}
	if strings.Contains(log, "LISTEN_FAILED") {
		t.Error("a listener was tried")
	}
}

// TestListenerIsBoundLast occupies the port, so that only a start that gets as far as the listener can fail
// because of it.
func TestListenerIsBoundLast(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail", "failing")
	taken, err := net.Listen("tcp",
		strings.Replace(strings.TrimPrefix(i.address, "http://"), "localhost", "127.0.0.1", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	failing := runCommand(t, i.environment, "", "api:start")
	if got := failing.stderr.String(); !strings.Contains(got, "MODULE_START_FAILED") ||
		strings.Contains(got, "LISTEN_FAILED") {
		t.Error("the listener came before the modules")
	}
	i.environment["SERVICE_MODULES_DIR"] = modulesDirectory(t, "base")
	late := runCommand(t, i.environment, "", "api:start")
	assertOrder(t, late.stderr.String(), "base started", "base stopped", "LISTEN_FAILED: ")
}

func TestDisabledModuleIsNeverStarted(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail", "announcements")
	i.db.Exec(t, `INSERT INTO core.module_enablement (module_id, enabled) VALUES ('base', false), `+
		`('absent', true)`)
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	if got := owner.do("GET", "/api/v1/modules/base/plain", nil); got.status != http.StatusNotFound {
		t.Errorf("GET a disabled module's route: status %d, want 404", got.status)
	}
	if got := owner.do("GET", slides, nil); got.status != http.StatusOK {
		t.Errorf("GET another module's route: status %d, want 200", got.status)
	}
	if log := daemon.stderr.String(); strings.Contains(log, "base started") ||
		strings.Contains(log, "tail started") {
		t.Error("a disabled module, or one that needs it, was started")
	}
}

// TestBadInput has a row for every mistake that an operator can make: exit status 1, one clear line per
// mistake, and no change.
func TestBadInput(t *testing.T) {
	t.Parallel()
	const schema = `SELECT count(*) FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', ` +
		`'information_schema')`
	without := func(name string) func(*testing.T, map[string]string) {
		return func(_ *testing.T, environment map[string]string) { delete(environment, name) }
	}
	with := func(name, value string) func(*testing.T, map[string]string) {
		return func(_ *testing.T, environment map[string]string) { environment[name] = value }
	}
	brokenManifest := func(t *testing.T, environment map[string]string) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "broken"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "broken", "module.json"),
			[]byte(`{"manifestVersion": 7, "id": "hunter2"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		environment["SERVICE_MODULES_DIR"] = dir
	}
	const refused = "The database did not accept a session (refused). "
	for _, row := range []struct {
		name    string
		command string
		change  func(*testing.T, map[string]string)
		want    []string // the beginning of each line
	}{
		{"no secret", "api:start", without("SERVICE_IDENTITY_SECRET"),
			[]string{"IDENTITY_SECRET_INVALID: SERVICE_IDENTITY_SECRET is not set. "}},
		{"two faults", "api:start", func(_ *testing.T, e map[string]string) {
			delete(e, "SERVICE_IDENTITY_SECRET")
			e["SERVICE_API_PORT"] = "hunter2"
		}, []string{"API_PORT_INVALID: ", "IDENTITY_SECRET_INVALID: "}},
		{"relative modules directory", "api:start", with("SERVICE_MODULES_DIR", "hunter2/modules"),
			[]string{"MODULES_DIRECTORY_INVALID: "}},
		{"missing modules directory", "api:start", with("SERVICE_MODULES_DIR", "/hunter2/modules"),
			[]string{"MODULES_DIRECTORY_UNREADABLE: The modules directory "}},
		{"broken manifest", "api:start", brokenManifest, []string{"MANIFEST_INVALID: "}},
		{"broken manifest when migrating", "migrations:apply", brokenManifest, []string{"MANIFEST_INVALID: "}},
		{"unreachable database", "api:start", with("DATABASE_URL", "postgres://u:hunter2@127.0.0.1:1/d"),
			[]string{"MODULE_LIFECYCLE_READ_FAILED: DATABASE_UNREACHABLE: " + refused}},
		{"unreachable database when migrating", "migrations:apply",
			with("DATABASE_URL", "postgres://u:hunter2@127.0.0.1:1/d"), []string{"DATABASE_UNREACHABLE: " + refused}},
		{"unreachable database for the owner", "identity:create-initial-owner",
			with("DATABASE_URL", "postgres://u:hunter2@127.0.0.1:1/d"), []string{"DATABASE_UNREACHABLE: " + refused}},
		{"unmigrated database", "api:start", nil, []string{"MODULE_LIFECYCLE_READ_FAILED: SCHEMA_MISSING: "}},
		{"unmigrated database for the owner", "identity:create-initial-owner", nil, []string{"SCHEMA_MISSING: "}},
		{"TLS in production", "migrations:status", func(_ *testing.T, e map[string]string) {
			delete(e, "NODE_ENV")
			e["SERVICE_DATABASE_TLS_MODE"] = "disable"
		}, []string{"DATABASE_TLS_REQUIRED: "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			i := prepare(t, databasetest.Empty(t))
			if row.change != nil {
				row.change(t, i.environment)
			}
			args := []string{row.command}
			if row.command == "identity:create-initial-owner" {
				args = append(args, "--email", ownerAddress)
			}
			r := runCommand(t, i.environment, "a good password\n", args...)
			if status := r.awaitExit(t); status != cli.ExitFailure {
				t.Errorf("narthex %s: exit status %d, want %d", strings.Join(args, " "), status,
					cli.ExitFailure)
			}
			said := r.stderr.String()
			lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
			var failures []string
			for _, line := range lines {
				if !strings.HasPrefix(line, "{") { // a line of the log
					failures = append(failures, line)
				}
			}
			for n, want := range row.want {
				if n >= len(failures) || !strings.HasPrefix(failures[n], want) {
					t.Errorf("line %d does not begin with %q:\n%s", n+1, want, said)
				}
			}
			if row.name != "broken manifest" && row.name != "broken manifest when migrating" &&
				len(failures) != len(row.want) {
				t.Errorf("stderr has %d lines, want %d:\n%s", len(failures), len(row.want), said)
			}
			if strings.Contains(said, "hunter2") || strings.Contains(said, "127.0.0.1") ||
				strings.Contains(said, "goroutine") {
				t.Errorf("a value came out:\n%s", said)
			}
			if r.stdout.String() != "" {
				t.Errorf("stdout %q, want nothing", r.stdout.String())
			}
			var tables int
			if err := i.db.Pool(t).QueryRow(t.Context(), schema).Scan(&tables); err != nil || tables != 0 {
				t.Errorf("the database has %d tables, want none; error %v", tables, err)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--help"}, cli.ExitSuccess, ""},
		{[]string{"api:start", "--help"}, cli.ExitSuccess, ""},
		{[]string{"version"}, cli.ExitSuccess, ""},
		{[]string{"--version"}, cli.ExitSuccess, ""},
		{[]string{"hunter2"}, cli.ExitUsage, "There is no such command; see: narthex --help\n"},
		{[]string{"detour"}, cli.ExitUsage, "There is no such command; see: narthex --help\n"}, // 3 edits to doctor
		{[]string{"migrations:aply"}, cli.ExitUsage,
			"There is no such command; did you mean migrations:apply? See: narthex --help\n"},
		{[]string{"list", "hunter2"}, cli.ExitUsage, "did you mean modules:list?"},
		{[]string{"migrate"}, cli.ExitUsage, "did you mean migrations:apply?"},
		{[]string{"version", "hunter2"}, cli.ExitUsage, "takes flags only"},
		{[]string{"--hunter2"}, cli.ExitUsage, "There is no such flag; see: narthex --help\n"},
		{[]string{"version", "--hunter2"}, cli.ExitUsage, "There is no such flag; see: narthex version --help\n"},
		{[]string{"version", "--jsn=hunter2"}, cli.ExitUsage,
			"There is no such flag; did you mean --json? See: narthex version --help\n"},
		{[]string{"modules:enable", "--module"}, cli.ExitUsage,
			"--module needs a value; see: narthex modules:enable --help\n"},
		{[]string{"dev", "--port", "hunter2"}, cli.ExitUsage,
			"The value of --port is not valid; see: narthex-dev dev --help\n"},
		{[]string{"identity:create-initial-owner"}, cli.ExitUsage, "--email is required"},
		{[]string{"identity:create-initial-owner", "--email", "a@example.org", "--password", "hunter2"},
			cli.ExitFailure, "PASSWORD_FLAG_REFUSED: "},
		{[]string{"identity:create-initial-owner", "--", "--email", "a@example.org", "--password=hunter2"},
			cli.ExitFailure, "PASSWORD_FLAG_REFUSED: "},
		{[]string{"authorization:bootstrap-owner"}, cli.ExitUsage, "Exactly one of"},
		{[]string{"authorization:bootstrap-owner", "--email", "a@example.org", "--user-id", "hunter2"},
			cli.ExitUsage, "Exactly one of"},
		{[]string{"identity:create-initial-owner", "--password"}, cli.ExitFailure, "PASSWORD_FLAG_REFUSED: "},
	} {
		r := runCommand(t, nil, "", row.args...)
		said := r.stderr.String()
		if status := r.awaitExit(t); status != row.status || !strings.Contains(said, row.want) ||
			strings.Contains(said, "hunter2") {
			t.Errorf("narthex %s: exit status %d, want %d; stderr %q, want it to contain %q",
				strings.Join(row.args, " "), status, row.status, said, row.want)
		}
	}
	version, flag := runCommand(t, nil, "", "version"), runCommand(t, nil, "", "--version")
	if got, want := flag.stdout.String(), version.stdout.String(); got != want || want == "" {
		t.Errorf("--version prints %q, want what version prints, %q", got, want)
	}
}

func TestOwnerCommand(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	create := func(stdin, email string) *invocation {
		return runCommand(t, i.environment, stdin, "identity:create-initial-owner", "--", "--email", email)
	}
	for _, row := range []struct{ stdin, email, want string }{
		{"", ownerAddress, "PASSWORD_INVALID: "},
		{"short\n", ownerAddress, "PASSWORD_INVALID: "},
		{ownerPassword, "no address", "EMAIL_INVALID: "},
	} {
		if r := create(row.stdin, row.email); r.awaitExit(t) != cli.ExitFailure ||
			!strings.HasPrefix(r.stderr.String(), row.want) {
			t.Errorf("%+v: create: exit status %v, want %v; stderr %.400q, want it to begin with %q",
				row, r.awaitExit(t), cli.ExitFailure, r.stderr.String(), row.want)
		}
	}
	if r := create(ownerPassword+"\n", ownerAddress); r.awaitExit(t) != cli.ExitSuccess ||
		!strings.HasPrefix(r.stdout.String(), "Created") {
		t.Errorf("create: exit status %v, want %v; stdout %.400q, want it to begin with %q; stderr %v",
			r.awaitExit(t), cli.ExitSuccess, r.stdout.String(), "Created", r.stderr.String())
	}
	if r := create("another password\n", "second@example.org"); r.awaitExit(t) != cli.ExitFailure ||
		!strings.HasPrefix(r.stderr.String(), "OWNER_ALREADY_EXISTS: ") {
		t.Errorf("create: exit status %v, want %v; stderr %.400q, want it to begin with %q; stdout %v",
			r.awaitExit(t), cli.ExitFailure, r.stderr.String(), "OWNER_ALREADY_EXISTS: ", r.stdout.String())
	}
	var people int
	if err := i.db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.person`).Scan(&people); err != nil ||
		people != 1 {
		t.Errorf("core.person has %d rows, want 1; error %v", people, err)
	}
}

func TestBootstrapOwnerCommand(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	bootstrap := func() *invocation {
		return runCommand(t, i.environment, "", "authorization:bootstrap-owner", "--", "--email", ownerAddress)
	}
	if r := bootstrap(); r.awaitExit(t) != cli.ExitFailure ||
		!strings.HasPrefix(r.stderr.String(), "IDENTITY_NOT_FOUND: ") {
		t.Errorf("bootstrap of an unknown address: exit status %d, want %d; stderr %s, want "+
			"IDENTITY_NOT_FOUND",
			r.awaitExit(t), cli.ExitFailure, r.stderr.String())
	}
	i.db.Exec(t, `INSERT INTO core.person (email, name, password_hash) VALUES ($1, 'Owner', 'x')`, ownerAddress)
	r := bootstrap()
	if r.awaitExit(t) != cli.ExitSuccess || !strings.HasPrefix(r.stdout.String(), "Granted: ") {
		t.Errorf("first bootstrap: exit status %d, want %d; stdout %s, want it to begin with "+
			"Granted; stderr %s",
			r.awaitExit(t), cli.ExitSuccess, r.stdout.String(), r.stderr.String())
	}
	if r := bootstrap(); r.awaitExit(t) != cli.ExitFailure ||
		!strings.HasPrefix(r.stderr.String(), "OWNER_ALREADY_EXISTS: ") {
		t.Errorf("second bootstrap: exit status %d, want %d; stderr %s, want OWNER_ALREADY_EXISTS",
			r.awaitExit(t), cli.ExitFailure, r.stderr.String())
	}
}

func TestDevRunsTwiceFromABareFolder(t *testing.T) {
	t.Parallel()
	dir := newDevFolder(t, modulesDirectory(t, "announcements"))
	environment := map[string]string{"PWD": dir, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/elsewhere",
		"SERVICE_API_PORT": "1"}
	port := porttest.Free(t)
	taken, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	begun := func() (*invocation, *installation) {
		r := startCommand(t, environment, "", "dev", "--port", strconv.Itoa(port))
		r.awaitOutput(t, &r.stdout, "Ctrl-C")
		return r, &installation{address: welcomeField(t, r, "Narthex runs at")}
	}
	first, i := begun()
	password := welcomeField(t, first, "Password")
	owner := i.signIn(t, dev.DevOwner, password)
	if got := owner.do("GET", slides, nil); !strings.Contains(got.body, "Shared lunch") ||
		strings.Count(got.body, `"id"`) != 7 {
		t.Errorf("GET %s: status %d; body %s, want seven sample slides", slides, got.status, got.body)
	}
	postmaster, err := os.ReadFile(filepath.Join(dir, ".dev", "postgresql", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first.signal(t, syscall.SIGINT)
	if status := first.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("first run of narthex dev after SIGINT: exit status %d, want %d", status, cli.ExitSuccess)
	}
	pid, _, _ := strings.Cut(string(postmaster), "\n")
	if _, err := os.Stat("/proc/" + pid); err == nil {
		t.Error("PostgreSQL still runs")
	}

	second, i := begun()
	if strings.Contains(second.stdout.String(), "Password") {
		t.Error("the second run shows a password")
	}
	owner = i.signIn(t, dev.DevOwner, password)
	if got := owner.do("GET", slides, nil); strings.Count(got.body, `"id"`) != 7 {
		t.Errorf("GET %s in the second run: status %d; body %s, want the five slides of the first", slides,
			got.status, got.body)
	}
	second.signal(t, syscall.SIGINT)
	if status := second.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("second run of narthex dev after SIGINT: exit status %d, want %d", status, cli.ExitSuccess)
	}
}

// newDevFolder returns a folder in which dev can run, with these modules.
func newDevFolder(t *testing.T, modules string) string {
	t.Helper()
	dir := sharedFolder(t)
	tools, err := filepath.Abs("../../../.tools") // where PostgreSQL may be
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"modules": modules, ".tools": tools} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sharedFolder returns a folder that PostgreSQL's own user can enter, which is not true of folders of
// t.TempDir.
func sharedFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "narthex-dev-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// welcomeField returns a value of the text that dev prints at its start.
func welcomeField(t *testing.T, r *invocation, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(r.stdout.String(), name)
	if !found || len(strings.Fields(rest)) == 0 {
		t.Fatalf("%s is not shown", name)
	}
	return strings.Fields(rest)[0]
}

func TestUncleanShutdownIsReported(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "stubborn")
	daemon := i.start(t)
	daemon.signal(t, syscall.SIGTERM)
	if status := daemon.awaitExit(t); status != cli.ExitFailure {
		t.Errorf("narthex api:start with a module that does not stop: exit status %d, want %d", status,
			cli.ExitFailure)
	}
	said := daemon.stderr.String()
	assertOrder(t, said, "base stopped", "MODULE_STOP_FAILED: The module stubborn ",
		`{"drainTimedOut":false,"connectionsForced":false,"moduleStopFailed":true,"rollbackFailed":false}`)
	if strings.Contains(said, "hunter2") {
		t.Error("the module's words came out")
	}
}

// TestHangingStopInARollbackIsReported: the start of one module fails, and another module does not stop.
func TestHangingStopInARollbackIsReported(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a daemon with shorter deadlines")
	}
	t.Parallel()
	i := install(t, "base", "tail", "failing")
	i.shortDeadlines = true
	installCopies(t, i.environment["SERVICE_MODULES_DIR"], "misbehaving", "clinging")
	daemon := i.begin(t)
	if status := daemon.awaitExit(t); status != cli.ExitFailure {
		t.Errorf("api:start with a failing and a clinging module: exit status %d, want %d", status, cli.ExitFailure)
	}
	said := daemon.stderr.String()
	assertOrder(t, said, "misbehaving started", "failing started", "failing stopped", "tail stopped",
		"MODULE_START_FAILED: The module failing ",
		"MODULE_ROLLBACK_TIMEOUT: module clinging ",
		`{"drainTimedOut":false,"connectionsForced":false,"moduleStopFailed":false,"rollbackFailed":true}`)
}
