package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestNewScriptModule: what modules:new --script writes far from any checkout is built, and works when it is
// copied to where modules are. A fault in it is told with its place in the TypeScript source.
func TestNewScriptModule(t *testing.T) {
	skipScriptsWithRace(t)
	t.Parallel()
	dir := t.TempDir()
	r := runCommand(t, map[string]string{"PWD": dir}, "", "modules:new", "--", "--module", "prayer-list",
		"--script")
	r.awaitExit(t)
	if want := "Written: prayer-list. Next: see README.md in its folder.\n"; r.stdout.String() != want {
		t.Fatalf("modules:new --script: %s%s, want %s", r.stdout.String(), r.stderr.String(), want)
	}
	folder := filepath.Join(dir, "prayer-list")
	index := filepath.Join(folder, "server-src", "index.ts")
	source, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	const route = "export default defineModule((m) => {\n"
	broken := strings.Replace(string(source), route, route+"\tm.get(\"/broken\", \"prayer-list.read\", (): "+
		"number => {\n\t\tthrow new Error(\"on purpose\");\n\t});\n", 1)
	if err := os.WriteFile(index, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	built := runCommand(t, map[string]string{"PWD": dir}, "", "modules:build", "--", "--dir", folder)
	if built.awaitExit(t); built.stdout.String() != "Built: server/index.js\nBuilt: ui/index.js\n" {
		t.Fatalf("modules:build: %s%s", built.stdout.String(), built.stderr.String())
	}

	i := prepare(t, databasetest.Empty(t))
	for _, part := range []string{"module.json", "server/index.js", "ui/index.js", "migrations/0001_notes.sql"} {
		to := filepath.Join(i.environment["SERVICE_MODULES_DIR"], "prayer-list", part)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		copyFile(t, filepath.Join(folder, part), to)
	}
	i.migrateWithOwner(t)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	const notes = "/api/v1/modules/prayer-list/notes"
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		answer       string
	}{
		{"GET", notes, nil, http.StatusOK, `{"nextCursor":null,"notes":[],"rev":1}`},
		{"POST", notes, map[string]string{"text": ""}, http.StatusBadRequest,
			`{"code":"REQUEST_INVALID","field":"text"}`},
		{"POST", notes, map[string]string{"text": "For rain"}, http.StatusCreated, `"text":"For rain"`},
		{"POST", notes, map[string]string{"text": "For sun"}, http.StatusCreated, `"text":"For sun"`},
		{"GET", notes + "?limit=1", nil, http.StatusOK, `"text":"For sun"`}, // the newest first
		{"GET", notes + "?q=rain", nil, http.StatusOK, `"text":"For rain"`},
		{"GET", "/api/v1/modules/prayer-list/broken", nil, http.StatusInternalServerError, handlerFailed},
	} {
		got := owner.do(c.method, c.path, c.body)
		if got.status != c.status || !strings.Contains(got.body, c.answer) {
			t.Errorf("%s %s %v: %d %s, want %d %s", c.method, c.path, c.body, got.status, got.body, c.status, c.answer)
		}
	}
	logs := runCommand(t, i.environment, "", "modules:logs", "--module", "prayer-list")
	logs.awaitExit(t)
	const want = "error: GET /broken: Error: on purpose\n\tat server-src/index.ts:5:9"
	if !strings.Contains(logs.stdout.String(), want) {
		t.Errorf("modules:logs: %s, want %q in it", logs.stdout.String(), want)
	}
}
