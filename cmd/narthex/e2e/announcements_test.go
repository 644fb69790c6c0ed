package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

const slides = "/api/v1/modules/announcements/slides"

func TestAnnouncementsEndToEnd(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements")
	daemon := i.start(t)
	owner, anonymous := i.signIn(t, ownerAddress, ownerPassword), i.visitor(t)
	member := i.member(t, "member@example.org")

	created := owner.do("POST", slides,
		map[string]any{"title": "Shared lunch", "body": "Sunday", "endsAt": "2030-01-01T00:00:00.000Z"})
	if created.status != http.StatusCreated {
		t.Fatalf("POST %s as the owner: status %d, want 201; body %s", slides, created.status, created.body)
	}
	var slide struct {
		ID      string
		Rev     int
		Enabled bool
	}
	if err := json.Unmarshal([]byte(created.body), &slide); err != nil || slide.Rev != 1 || slide.Enabled {
		t.Fatalf("POST %s: body %s, want a disabled slide of rev 1; error %v", slides, created.body, err)
	}
	one := slides + "/" + slide.ID
	edit := func(rev int) map[string]any {
		return map[string]any{"title": "Shared lunch", "body": "Sunday 12:30", "enabled": true, "rev": rev}
	}

	for _, step := range []struct {
		name   string
		who    *person
		method string
		path   string
		value  any
		status int
		want   string // part of the body
	}{
		{"anonymous reads", anonymous, "GET", slides, nil, 401, `{"code":"AUTHENTICATION_REQUIRED"}`},
		{"anonymous writes", anonymous, "POST", slides, map[string]any{"title": "x"}, 401,
			`{"code":"AUTHENTICATION_REQUIRED"}`},
		{"member writes", member, "POST", slides, map[string]any{"title": "x"}, 403,
			`{"code":"PERMISSION_DENIED"}`},
		{"member does not see drafts", member, "GET", slides, nil, 200, `{"slides":[],"rev":1}`},
		{"owner sees drafts", owner, "GET", slides, nil, 200, `"title":"Shared lunch"`},
		{"publish", owner, "PUT", one, edit(1), 200, `"rev":2`},
		{"edit what somebody else changed", owner, "PUT", one, edit(1), 409, `{"code":"CONFLICT"}`},
		{"edit without rev", owner, "PUT", one, map[string]any{"title": "x"}, 400, `{"code":"REQUEST_INVALID"}`},
		{"member sees what is published", member, "GET", slides, nil, 200, `"body":"Sunday 12:30"`},
		{"no title", owner, "POST", slides, map[string]any{"body": "x"}, 400, `{"code":"REQUEST_INVALID"}`},
		{"unknown field", owner, "POST", slides, map[string]any{"title": "x", "colour": "red"}, 400,
			`{"code":"REQUEST_INVALID"}`},
		{"end before start", owner, "POST", slides,
			map[string]any{"title": "x", "startsAt": "2030-01-02T00:00:00.000Z", "endsAt": "2030-01-01T00:00:00.000Z"},
			400, `{"code":"REQUEST_INVALID"}`},
		{"time in another form", owner, "POST", slides, map[string]any{"title": "x", "endsAt": "2030-01-01"}, 400,
			`{"code":"REQUEST_INVALID"}`},
		{"NUL", owner, "POST", slides, map[string]any{"title": "a\x00b"}, 400, `{"code":"REQUEST_INVALID"}`},
		{"too large", owner, "POST", slides, map[string]any{"title": "x", "body": strings.Repeat("x", 16<<10)}, 413,
			`{"code":"REQUEST_BODY_TOO_LARGE"}`},
		{"no such slide", owner, "DELETE", slides + "/00000000-0000-0000-0000-000000000000", nil, 404,
			`{"code":"SLIDE_NOT_FOUND"}`},
		{"no id", owner, "DELETE", slides + "/1;DROP%20TABLE", nil, 404, `{"code":"SLIDE_NOT_FOUND"}`},
		{"place in another order", owner, "PUT", slides + "/" + slide.ID + "/place",
			map[string]any{"after": nil, "rev": 7}, 409, `{"code":"CONFLICT"}`},
		{"place", owner, "PUT", slides + "/" + slide.ID + "/place", map[string]any{"after": nil, "rev": 1}, 200,
			`{"rev":2}`},
		{"member deletes", member, "DELETE", one, nil, 403, `{"code":"PERMISSION_DENIED"}`},
		{"delete", owner, "DELETE", one, nil, 204, ""},
		{"gone", owner, "DELETE", one, nil, 404, `{"code":"SLIDE_NOT_FOUND"}`},
		{"nothing left", owner, "GET", slides, nil, 200, `{"slides":[],"rev":2}`},
		{"another module", owner, "GET", "/api/v1/modules/nothing/slides", nil, 404, `{"code":"NOT_FOUND"}`},
	} {
		got := step.who.do(step.method, step.path, step.value)
		if got.status != step.status || !strings.Contains(got.body, step.want) {
			t.Errorf("%s: got %d %s, want %d %s", step.name, got.status, got.body, step.status, step.want)
		}
	}

	daemon.signal(t, syscall.SIGTERM)
	if status := daemon.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("narthex api:start after SIGTERM: exit status %d, want %d", status, cli.ExitSuccess)
	}
}

// member returns a verified person without any permission and with the owner's password.
func (i *installation) member(t *testing.T, email string) *person {
	t.Helper()
	i.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT $1, 'Member', true, password_hash FROM core.person WHERE email = $2`, email, ownerAddress)
	return i.signIn(t, email, ownerPassword)
}

func TestGrantOpensARoute(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	i.start(t)
	member := i.member(t, "member@example.org")
	status := func() int { return member.do("GET", "/api/v1/modules/base/restricted", nil).status }
	grant := `INSERT INTO core.permission_grant (person_id, permission_id, expires_at)
		SELECT id, 'base.restricted', now() + $1::interval FROM core.person WHERE email = 'member@example.org'`

	if got := status(); got != http.StatusForbidden {
		t.Errorf("without a grant: status %d, want 403", got)
	}
	i.db.Exec(t, grant, "-1 second")
	if got := status(); got != http.StatusForbidden {
		t.Errorf("with an expired grant: status %d, want 403", got)
	}
	i.db.Exec(t, grant, "1 hour")
	if got := status(); got != http.StatusOK {
		t.Errorf("with a grant: status %d, want 200", got)
	}
	i.db.Exec(t, `UPDATE core.permission_grant SET revoked_at = now()`)
	if got := status(); got != http.StatusForbidden {
		t.Errorf("with a revoked grant: status %d, want 403", got)
	}
}

func TestModuleSeesAndSaysWhatItMay(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)

	var seen struct {
		Path, Query, First, Second string
		Header                     http.Header
		Principal                  struct{ Kind, UserID string }
		May, Foreign               bool
	}
	got := owner.do("GET", "/api/v1/modules/base/request/a%2Fb/c+d?x=1&x=%20", nil)
	if err := json.Unmarshal([]byte(got.body), &seen); err != nil {
		t.Fatalf("json.Unmarshal: error %v, want none; status %v; body %.200s",
			err, got.status, got.body)
	}
	if seen.Path != "/request/a%2Fb/c+d" || seen.Query != "x=1&x=%20" || seen.First != "a/b" ||
		seen.Second != "c+d" {
		t.Errorf("the module saw %+v", seen)
	}
	if seen.Principal.Kind != "authenticated" || seen.Principal.UserID == "" || !seen.May || seen.Foreign {
		t.Errorf("the module saw %+v", seen)
	}
	for name := range seen.Header {
		if name != "User-Agent" && name != "Accept" {
			t.Errorf("the module saw the header %s", name)
		}
	}

	said := owner.do("GET", "/api/v1/modules/base/headers", nil)
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Vary": "Origin, Cookie",
		"Content-Security-Policy": "sandbox; default-src 'none'",
		"X-Content-Type-Options":  "nosniff", "Etag": `"kept"`, "Content-Type": "text/html", "Set-Cookie": "",
		"Clear-Site-Data":           "",
		"Strict-Transport-Security": "", "Service-Worker-Allowed": "", "Access-Control-Expose-Headers": "",
		"Access-Control-Allow-Origin": "",
	} {
		if got := said.header.Get(name); got != want || len(said.header[name]) > 1 {
			t.Errorf("%s: %q, want %q", name, said.header[name], want)
		}
	}
	if id := said.header.Get("X-Request-Id"); said.status != http.StatusAccepted || len(id) != 32 {
		t.Errorf("status %d, want 202; request id %q, want 32 characters", said.status, id)
	}

	for _, size := range []int{0, 1, 8 << 10, 64 << 10, 1 << 20} {
		body := strings.Repeat("x", size)
		if got := owner.do("POST", "/api/v1/modules/base/echo",
			io.MultiReader(strings.NewReader(body))); got.body != body {
			t.Errorf("%d bytes came back as %d with status %d", size, len(got.body), got.status)
		}
	}
	if got := owner.do("POST", "/api/v1/modules/base/echo",
		io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20+1)))); got.status != 413 {
		t.Errorf("POST /echo with one byte over 1 MiB: status %d, want 413; body %.200s", got.status,
			got.body)
	}
	if got := owner.do("GET", "/api/v1/modules/base/panic", nil); got.status != 500 ||
		got.body != `{"code":"MODULE_HANDLER_FAILED"}` {
		t.Errorf("GET /panic: status %d, want 500; body %s, want MODULE_HANDLER_FAILED", got.status, got.body)
	}
	if got := owner.do("GET", "/api/v1/modules/base/plain", nil); got.body != `{"plain":true}` {
		t.Errorf("GET /plain after a panic: status %d; body %s, want {\"plain\":true}", got.status, got.body)
	}
	if got := owner.do("HEAD", "/api/v1/modules/base/plain", nil); got.status != 200 || got.body != "" ||
		got.header.Get("Content-Length") != "14" {
		t.Errorf("HEAD /plain: status %d, want 200; body %q, want none; header %v, want Content-Length 14",
			got.status, got.body, got.header)
	}
}

func TestKilledModuleComesBackWhileThePlatformGoesOn(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements", "base")
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)

	for range 3 {
		pid := modulePID(t, daemon, "announcements")
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the module answers again", func() bool {
			for _, path := range []string{"/api/v1/principal", "/api/v1/health/ready", "/api/v1/modules/base/plain"} {
				if got := owner.do("GET", path, nil); got.status != 200 {
					t.Errorf("GET %s while the module is down: status %d, want 200; body %s", path,
						got.status, got.body)
				}
			}
			got := owner.do("GET", slides, nil)
			switch {
			case got.status == 503 && got.body == `{"code":"MODULE_UNAVAILABLE"}` &&
				got.header.Get("Retry-After") == "1":
			case got.status == 500 && got.body == `{"code":"MODULE_HANDLER_FAILED"}`:
			case got.status != 200:
				t.Errorf("the module's route while it is down: %d %s", got.status, got.body)
			}
			return got.status == 200 && modulePID(t, daemon, "announcements") != pid
		})
	}
}

// TestChangedServerIsNotStarted: an executable or a script that changes under a running platform is not
// started.
func TestChangedServerIsNotStarted(t *testing.T) {
	t.Parallel()
	for id, server := range map[string]string{
		"base": "bin/" + runtime.GOOS + "-" + runtime.GOARCH + "/base", "scripted": "server/index.js",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			assertChangedIsNotStarted(t, id, server)
		})
	}
}

func assertChangedIsNotStarted(t *testing.T, id, server string) {
	t.Helper()
	if id == "scripted" {
		skipScriptsWithRace(t)
	}
	i := install(t, id)
	dir, err := os.MkdirTemp("", "narthex-changed-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.CopyFS(filepath.Join(dir, id), os.DirFS(builtModule(t, id))); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, id, server)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	i.environment["SERVICE_MODULES_DIR"] = dir
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	pid := modulePID(t, daemon, id)

	if err := os.Chmod(program, 0o711); err != nil { // changes the ctime, which is part of the file's identity
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	daemon.awaitOutput(t, &daemon.stderr, `"msg":"module process not started"`)
	got := owner.do("GET", "/api/v1/modules/"+id+"/plain", nil)
	if got.status != http.StatusServiceUnavailable || got.body != `{"code":"MODULE_UNAVAILABLE"}` {
		t.Errorf("GET /api/v1/modules/%s/plain: status %v, want %v; body %.200q, want %.200q", id,
			got.status, http.StatusServiceUnavailable, got.body, `{"code":"MODULE_UNAVAILABLE"}`)
	}
	if got := owner.do("GET", "/api/v1/health/ready", nil); got.status != http.StatusOK {
		t.Errorf("GET /api/v1/health/ready while a module is down: status %d, want 200", got.status)
	}
}

// modulePID returns the process id of the module, which is a child of the daemon.
func modulePID(t *testing.T, daemon *invocation, id string) (pid int) {
	t.Helper()
	eventually(t, "the process of "+id, func() bool {
		pid = childNamed(t, id, daemon.command.Process.Pid)
		return pid != 0
	})
	return pid
}

// childNamed returns the id of a living child process with the name, or 0.
func childNamed(t *testing.T, name string, parent int) int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		stat, err := os.ReadFile(entry)
		if err != nil {
			continue
		}
		number, rest, _ := strings.Cut(string(stat), " (")
		found, rest, _ := strings.Cut(rest, ") ")
		fields := strings.Fields(rest)
		if found == name && fields[0] != "Z" && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	return 0
}
