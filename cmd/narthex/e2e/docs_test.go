package e2e

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// guideModule is the module that docs/modules.md makes.
const guideModule = "prayer-list"

// block is one fenced block of a page: ```language name.
type block struct{ language, name, text string }

func blocksOf(t *testing.T, page string) (blocks []block) {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	fenced := regexp.MustCompile("(?ms)^```(\\w+) ?(\\S*)\n(.*?)^```$")
	for _, found := range fenced.FindAllStringSubmatch(string(content), -1) {
		blocks = append(blocks, block{found[1], found[2], found[3]})
	}
	return blocks
}

// TestGuide does what docs/modules.md says, from top to bottom: its commands run as they are printed, and its
// code replaces or joins the new module's. It does not run beside other tests of dev: each looks for free
// ports next to the others'.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the Go toolchain on a copy of the checkout")
	}
	checkout := copyCheckout(t)
	i := prepare(t, databasetest.Empty(t))
	server := storagetest.New(t)
	i.useObjectStorage("http://" + server.Address)
	reader := openTerminal(t, checkout, i)
	folder := filepath.Join(checkout, "modules", guideModule)
	for _, b := range blocksOf(t, "../../../docs/modules.md") {
		switch b.language {
		case "sh":
			reader.run(b.text)
			if strings.Contains(b.text, "make dev\n") {
				reader.stopDev()
			}
		case "go":
			addCode(t, folder, b.text)
		default:
			if err := os.WriteFile(filepath.Join(folder, b.name), []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	runProgram(t, checkout, "go", "vet", "./modules/"+guideModule)
	i.migrateWithOwner(t)
	i.start(t)
	assertModuleWorks(t, i.signIn(t, ownerAddress, ownerPassword))
}

// TestReadme does what README.md says, with a development platform beside it.
func TestReadme(t *testing.T) {
	checkout := copyCheckout(t)
	reader := openTerminal(t, checkout, prepare(t, databasetest.Empty(t)))
	for _, b := range blocksOf(t, "../../../README.md") {
		switch {
		case b.language != "sh":
			t.Errorf("README.md has a block of language %q, want sh alone:\n%s", b.language, b.text)
		case strings.HasPrefix(b.text, "read -r address password\n"):
			reader.run(b.text + reader.devOutput("Narthex runs at") + " " + reader.devOutput("Password") + "\n")
		default:
			reader.run(b.text)
		}
	}
	if said := reader.stdout.String(); strings.Count(said,
		`"title":"Shared lunch"`) != 3 { // written; the sample and it, listed
		t.Errorf("the commands of README.md wrote\n%s", said)
	}
	reader.run(`until grep -q "service_auth=reset-password" "$DEV_LOG"; do sleep 0.2; done`)
	reader.stopDev()
}

// copyCheckout is a borrowed one with the sample modules and what make finds in folders with a dot in front.
// Nothing is built in it.
func copyCheckout(t *testing.T) string {
	t.Helper()
	real, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	checkout := linkCheckout(t)
	if err := os.RemoveAll(filepath.Join(checkout, "bin")); err != nil { // a link to the real one, or nothing
		t.Fatal(err)
	}
	for _, name := range []string{".ci", ".tools"} {
		if err := os.Symlink(filepath.Join(real, name), filepath.Join(checkout, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(checkout, "modules"),
		os.DirFS(filepath.Join(real, "modules"))); err != nil {
		t.Fatal(err)
	}
	built, err := filepath.Glob(filepath.Join(checkout, "modules", "*", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range built {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	return checkout
}

// terminal sits at a terminal in a checkout.
type terminal struct {
	*invocation
	t     *testing.T
	keys  io.WriteCloser
	log   string // what make dev writes
	typed int    // blocks
}

// shell is what the reader's terminal does before the first block. make dev goes on beside what follows, as
// in a terminal of its own; make test would run this very test, so that only its rules are tried.
const shell = `set -eu
DEV=
stop_dev() {
	[ -z "$DEV" ] || { kill -INT -- "-$DEV"; wait "$DEV" || :; }
	DEV=
}
trap stop_dev EXIT
make() {
	case "$*" in
	dev)
		set -m
		command make dev >"$DEV_LOG" 2>&1 </dev/null &
		set +m
		DEV=$!
		until grep -q Ctrl-C "$DEV_LOG"; do kill -0 "$DEV"; sleep 0.2; done ;;
	test) command make --dry-run test >/dev/null ;;
	*) command make "$@" ;;
	esac
}
`

// openTerminal opens a terminal with the environment of an installation but for its modules directory, which
// the pages name themselves.
func openTerminal(t *testing.T, checkout string, i *installation) *terminal {
	t.Helper()
	home := t.TempDir()
	i.environment["SERVICE_MODULES_DIR"] = filepath.Join(home, "narthex-modules")
	r := &terminal{t: t, log: filepath.Join(home, "dev.log")}
	terminal := exec.CommandContext(t.Context(), "bash")
	terminal.Dir = checkout
	terminal.Env = []string{"HOME=" + home, "DEV_LOG=" + r.log, "PATH=" + os.Getenv("PATH")}
	for _, name := range []string{"GOENV", "GOCACHE", "GOMODCACHE", "GOPATH"} { // which lie in the real home
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		terminal.Env = append(terminal.Env, name+"="+strings.TrimSpace(string(value)))
	}
	for name, value := range i.environment {
		if name != "SERVICE_MODULES_DIR" {
			terminal.Env = append(terminal.Env, name+"="+value)
		}
	}
	keys, err := terminal.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.keys, r.invocation = keys, startPrepared(t, terminal)
	t.Cleanup(func() {
		_ = keys.Close() // ends the terminal, and with it make dev
		r.awaitExit(t)
		if log, err := os.ReadFile(r.log); err == nil && t.Failed() {
			t.Logf("make dev:\n%s", log)
		}
	})
	r.run(shell)
	return r
}

// run enters a block and waits until it has run. A command that fails ends the terminal.
func (r *terminal) run(block string) {
	r.t.Helper()
	r.typed++
	done := fmt.Sprintf("block %d has run", r.typed)
	if _, err := fmt.Fprintf(r.keys, "%s\necho '%s'\n", block, done); err != nil {
		r.t.Fatalf("the block could not be entered: %v\n%s", err, block)
	}
	r.awaitOutputWithin(r.t, &r.stdout, done, 4*patience) // it may build everything
	if r.t.Failed() {
		r.t.FailNow()
	}
}

// devOutput reads a value of what make dev has printed.
func (r *terminal) devOutput(name string) string {
	r.t.Helper()
	log, err := os.ReadFile(r.log)
	if err != nil {
		r.t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(log), name)
	if !found {
		r.t.Fatalf("make dev does not say %q", name)
	}
	return strings.Fields(rest)[0]
}

// stopDev presses Ctrl-C where make dev runs.
func (r *terminal) stopDev() {
	r.t.Helper()
	r.run("stop_dev")
}

// imports are those that the guide leaves out.
var imports = map[string]string{
	"bytes": "bytes", "context": "context", "errors": "errors", "http": "net/http", "mail": "net/mail",
	"sdk":     "github.com/narthex-platform/narthex/modulehost/sdk",
	"sdktest": "github.com/narthex-platform/narthex/modulehost/sdktest", "sql": "database/sql",
	"strings": "strings", "testing": "testing", "time": "time",
}

// addCode adds code to the module; a function of a name that is there takes its place.
func addCode(t *testing.T, folder, code string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "guide.go", "package main\n"+code, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, declared := range file.Decls {
		names = append(names, functionName(declared))
	}
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		removeFunctions(t, source, names)
	}
	text := "package main\n\nimport (\n"
	for name, path := range imports {
		if slices.ContainsFunc(file.Unresolved, func(used *ast.Ident) bool { return used.Name == name }) {
			text += fmt.Sprintf("%q\n", path)
		}
	}
	formatted, err := format.Source([]byte(text + ")\n\n" + code))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(formatted), code) {
		t.Errorf("not formatted:\n%s", code)
	}
	suffix := ".go"
	if strings.Contains(code, "*testing.T") {
		suffix = "_test.go"
	}
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("guide%d%s", len(sources), suffix)), formatted,
		0o644); err != nil {
		t.Fatal(err)
	}
}

// removeFunctions takes functions out of a file.
func removeFunctions(t *testing.T, source string, names []string) {
	t.Helper()
	content, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, source, content, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range slices.Backward(file.Decls) {
		if name := functionName(declared); name != "" && slices.Contains(names, name) {
			content = slices.Delete(content, files.Position(declared.Pos()).Offset,
				files.Position(declared.End()).Offset)
		}
	}
	if err := os.WriteFile(source, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func functionName(declared ast.Decl) string {
	if function, is := declared.(*ast.FuncDecl); is {
		return function.Name.Name
	}
	return ""
}

// assertModuleWorks tries the routes of the module that came out, as it was installed.
func assertModuleWorks(t *testing.T, owner *person) {
	t.Helper()
	const root = "/api/v1/modules/" + guideModule
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		wanted       string
	}{
		{"POST", "/notes", map[string]string{"text": "Ruth has the key"}, http.StatusCreated, `"id":1`},
		{"PUT", "/notes/1/picture", strings.NewReader("a picture"), http.StatusNoContent, ""},
		{"POST", "/reminders", nil, http.StatusOK, `{"outcome":"NOT_CONFIGURED"}`},
		{"DELETE", "/notes/2", nil, http.StatusNotFound, "NOTE_NOT_FOUND"},
		{"DELETE", "/notes/1", nil, http.StatusNoContent, ""},
		{"GET", "/notes", nil, http.StatusOK, `{"notes":[]}`},
	} {
		if got := owner.do(c.method, root+c.path, c.body); got.status != c.status ||
			!strings.Contains(got.body, c.wanted) {
			t.Errorf("%v: %s %s: status %v, want %v; body %.400q, want %q in it",
				c.path, c.method, root+c.path, got.status, c.status, got.body, c.wanted)
		}
	}
	got := owner.subscribe("/api/v1/module-realtime/" + guideModule + "/answered").next()
	if got != "snapshot 1" {
		t.Errorf("next: got %.200q, want %.200q", got, "snapshot 1")
	}
}
