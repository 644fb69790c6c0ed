package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/services/porttest"
)

// mistake is a mistake that authors often make: what they change, and the message that they then read.
type mistake struct {
	title  string
	change string         // in words
	edit   func(*scratch) // makes the mistake
	ask    string         // the request that is then sent, below /api/v1; "": none
	line   string         // the beginning of the module's own line; "": the message of dev's step is shown
	where  string         // part of a later line that is shown, too; "": only the first one is shown
	remedy string
}

// mistakes are in the order of the page.
var mistakes = []mistake{
	{
		title: "A permission with a typing error", change: `r.HandleFunc("GET /notes", "prayer-list.raed", ...)`,
		edit:   replace("main.go", `mayRead, sdk.NoBody, m.list`, `"prayer-list.raed", sdk.NoBody, m.list`),
		remedy: "Use a permission of `module.json`, best as a constant.",
	},
	{
		title: "Two routes for the same requests", change: "the same `GET /notes` is declared twice",
		edit: replace("main.go", "	return nil\n}\n\n// Start",
			"	r.HandleFunc(\"GET /notes\", mayRead, sdk.NoBody, m.list)\n"+
				"	return nil\n}\n\n// Start"),
		remedy: "Remove one. Two paths that differ in the names of their segments alone are the same, too.",
	},
	{
		title: "A body without a limit", change: "`sdk.Buffered(0)`",
		edit:   replace("main.go", "sdk.Buffered(4<<10)", "sdk.Buffered(0)"),
		remedy: "Say how many bytes a request may have.",
	},
	{
		title: "A limit above the platform's", change: "`sdk.Buffered(4<<20)`",
		edit:   replace("main.go", "sdk.Buffered(4<<10)", "sdk.Buffered(4<<20)"),
		remedy: "Use `sdk.Streamed` for files.",
	},
	{
		title: "A pattern without a slash", change: `r.HandleFunc("GET notes", ...)`,
		edit:   replace("main.go", `"GET /notes"`, `"GET notes"`),
		remedy: "Write method, space, slash.",
	},
	{
		title: "An id without the module's name", change: "`\"id\": \"write\"` in `permissions`",
		edit:   replace("module.json", `"prayer-list.write"`, `"write"`),
		remedy: "Begin every permission, capability and contribution with the module's id and a dot.",
	},
	{
		title: "A key that the manifest does not have", change: "`\"databse\"`",
		edit: replace("module.json", `"database"`, `"databse"`),
		remedy: "Compare with [module.schema.json](../modulehost/manifest/module.schema.json), which editors " +
			"understand.",
	},
	{
		title: "Another version of the platform", change: "`\"platform\": \"^9.0.0\"`",
		edit:   replacePattern("module.json", `"platform": "[^"]*"`, `"platform": "^9.0.0"`),
		remedy: "Name a range that has this platform's version, and try the module with it.",
	},
	{
		title: "An edited migration", change: "a column is added in `migrations/0001_notes.sql`, which was applied",
		edit:   replace("migrations/0001_notes.sql", "(", "(added int, "),
		remedy: "Add a file with the next number; or, while nobody else has the module, reset its tables.",
	},
	{
		title: "A number that is left out", change: "`migrations/0003_guests.sql` without a 0002",
		edit:   write("migrations/0003_guests.sql", "CREATE TABLE guest (name text);\n"),
		remedy: "Number the files without a gap.",
	},
	{
		title: "Wrong SQL in a migration", change: "`ALTER TABLE nots ADD COLUMN ...`",
		edit: write("migrations/0002_author.sql", "CREATE TABLE author (name text);\n"+
			"ALTER TABLE nots ADD COLUMN author text;\n"),
		remedy: "Correct it and save: nothing of the file was kept.",
	},
	{
		title: "Wrong SQL in a handler", change: "`SELECT id,\\n txt FROM notes`",
		edit: handler(`_, err := m.host.DB.Query(ctx, "SELECT id,\n txt FROM notes")
		return nil, err`),
		ask: "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "The client gets a 500 without these words.",
	},
	{
		title: "A value too few for a statement", change: "`SELECT $1::int + $2::int` with one value",
		edit: handler(`_, err := m.host.DB.Query(ctx, "SELECT $1::int + $2::int", 1)
		return nil, err`),
		ask: "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "One value for each parameter, in their order.",
	},
	{
		title: "A result that is not JSON", change: "the handler returns a channel",
		edit: handler(`return map[string]any{"updates": make(chan int)}, nil`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "Return structs with json tags, maps, slices, texts and numbers.",
	},
	{
		title: "A redirect out of the module", change: "`Location: /login`",
		edit: handler(`return sdk.Response{Status: 303, Header: http.Header{"Location": {"/login"}}}, nil`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "The platform writes this line: browsers follow a redirect with the person's cookies.",
	},
	{
		title: "A query that the route does not take", change: "`?serach=Ruth` where the handler reads `search`",
		edit: handler(`return sdk.Query(r, "search")`),
		ask:  "/modules/prayer-list/scratch?serach=Ruth", line: "refused: GET /scratch",
		remedy: "The client gets 400 REQUEST_INVALID. Decode, ReadPage and ReadExchange tell their reasons, too; " +
			"at most 20 in a minute.",
	},
	{
		title: "A channel that is not registered", change: "`h.Realtime.Publish(\"nots\", ...)`",
		edit: handler(`return nil, m.host.Realtime.Publish("nots", 1)`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "Best use a constant for the name.",
	},
	{
		title: "A secret that is not declared", change: "`h.Secret(ctx, \"apiToken\")`",
		edit: handler(`return m.host.Secret(ctx, "apiToken")`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "Never send it in a response, as this handler would.",
	},
	{
		title: "A setting that is not declared", change: "`h.Config.String(\"colour\")`",
		edit: handler(`return m.host.Config.String("colour"), nil`),
		ask:  "/modules/prayer-list/scratch", line: "panic: ",
		remedy: "Declare it, or correct its name. The client gets a 500.",
	},
	{
		title: "A permission that is not declared", change: "`h.Can(ctx, \"prayer-list.raed\")`",
		edit: handler(`return m.host.Can(ctx, "prayer-list.raed")`),
		ask:  "/modules/prayer-list/scratch", line: "error: Can",
		remedy: "Can returns false. It is told once.",
	},
	{
		title: "A capability without a dependency", change: "`h.Capability(\"stage.services\")`",
		edit: handler(`return nil, m.host.Capability("stage.services").Call(ctx, "list", nil, nil)`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "An optional dependency does for a module that works without the other one.",
	},
	{
		title: "A request to another server", change: "`http.Get(\"https://192.0.2.7\")`",
		edit: handler(`_, err := http.Get("https://192.0.2.7")
		return nil, err`),
		ask: "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "Whatever leaves the house goes through the platform.",
	},
	{
		title: "A file that is written", change: "`os.WriteFile(\"/tmp/notes\", ...)`",
		edit: handler(`return nil, os.WriteFile("/tmp/notes", nil, 0o600)`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "A process may end at any time, and another one goes on.",
	},
	{
		title: "Output to /dev/null", change: "`os.Open(os.DevNull)`",
		edit: handler(`file, err := os.Open(os.DevNull)
		_ = file
		return nil, err`),
		ask: "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "The sandbox has no devices.",
	},
	{
		title: "Another program", change: "`exec.Command(\"convert\", ...)`",
		edit: handler(`return nil, exec.Command("/usr/bin/convert", "a.png").Run()`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "A library does, or the browser.",
	},
	{
		title: "An exit in Start", change: "`os.Exit(3)`, as `log.Fatal` does with 1",
		edit: func(s *scratch) {
			replace("main.go", "	m.host = h\n	return nil", "	m.host = h\n	os.Exit(3)\n	return nil")(s)
			replace("main.go", "import (", "import (\n	\"os\"")(s)
		},
		remedy: "Return an error.",
	},
	{
		title:  "Rows that are not closed",
		change: "a second statement of a transaction, while the first one's rows are open",
		edit: handler(`return nil, m.host.DB.InTx(ctx, func(tx *sdk.Tx) error {
			if _, err := tx.Query(ctx, "SELECT repeat('x', 1000) FROM generate_series(1, 5000)"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "DELETE FROM notes")
			return err
		})`),
		ask: "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "`defer rows.Close()`, or read them to the end.",
	},
	{
		title: "A bucket that is not declared", change: "`h.Storage.Bucket(\"imagse\")`",
		edit: handler(`return nil, m.host.Storage.Bucket("imagse").Delete(ctx, "picture")`),
		ask:  "/modules/prayer-list/scratch", line: "error: GET /scratch",
		remedy: "Declare it in `storage.buckets`, or correct its name.",
	},
	{
		title: "A panic in a handler", change: "a map that was never made is written",
		edit: handler(`var names map[string]int
		names["Ruth"]++
		return nil, nil`),
		ask: "/modules/prayer-list/scratch", line: "panic: ", where: "scratch.go:",
		remedy: "The stack follows, with file and line. The client gets a 500, and the process goes on.",
	},
	{
		title: "A panic in a goroutine", change: "`go func() { panic(\"no note\") }()`",
		edit: handler(`go func() { panic("no note") }()
		return nil, nil`),
		ask: "/modules/prayer-list/scratch", line: "panic: no note", where: "scratch.go:",
		remedy: "Go ends the whole process, and the platform starts it again. The stack follows. Recover in the " +
			"goroutine.",
	},
	{
		title: "A snapshot that is too big", change: "a channel's snapshot has 2 MiB",
		edit: handler(`return nil, nil`, `r.Channel("board", mayRead, func(context.Context) (any, error) {
		return strings.Repeat("x", 2<<20), nil
	})`),
		ask: "/module-realtime/prayer-list/board", line: "error: snapshot of channel board",
		remedy: "Send what a page shows first, and let it ask for the rest.",
	},
	{
		title: "An error in Start", change: "`return errors.New(\"no coordinator\")`",
		edit: func(s *scratch) {
			replace("main.go", "	m.host = h\n	return nil",
				"	m.host = h\n	return errors.New(\"no coordinator\")")(s)
			replace("main.go", "import (", "import (\n	\"errors\"")(s)
		},
		remedy: "Return an error only if the module is of no use without: the platform does not start then.",
	},
	{
		title: "A script with a typing error", change: "a bracket is missing in `ui-src/index.tsx`",
		edit:   replace("ui-src/index.tsx", "defineModuleUi({ mount });", "defineModuleUi({ mount );"),
		remedy: "The page that is open shows the version before.",
	},
}

// scratch is the module in which the mistakes are made.
type scratch struct {
	t      *testing.T
	folder string
	before map[string]string // content of changed files; "": did not exist
}

func (s *scratch) save(path, text string) {
	s.t.Helper()
	full := filepath.Join(s.folder, path)
	if _, kept := s.before[path]; !kept {
		there, _ := os.ReadFile(full)
		s.before[path] = string(there)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scratch) read(path string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, path))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// undo restores the files that were saved.
func (s *scratch) undo() {
	s.t.Helper()
	for path, text := range s.before {
		var err error
		if full := filepath.Join(s.folder, path); text == "" {
			err = os.Remove(full)
		} else {
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.before = make(map[string]string)
}

func write(path, text string) func(*scratch) { return func(s *scratch) { s.save(path, text) } }

func replace(path, old, words string) func(*scratch) {
	return func(s *scratch) {
		text := s.read(path)
		if !strings.Contains(text, old) {
			s.t.Fatalf("%s does not have %q", path, old)
		}
		s.save(path, strings.Replace(text, old, words, 1))
	}
}

func replacePattern(path, pattern, words string) func(*scratch) {
	return func(s *scratch) {
		s.save(path, regexp.MustCompile(pattern).ReplaceAllLiteralString(s.read(path), words))
	}
}

// handler adds GET /scratch with a handler body, and optionally further registrations.
func handler(body string, more ...string) func(*scratch) {
	return func(s *scratch) {
		s.save("scratch.go", fmt.Sprintf(`package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

var _, _ = os.Open, exec.Command

func (m *module) scratch(r *sdk.Registry) {
	r.HandleFunc("GET /scratch", mayRead, sdk.NoBody, func(ctx context.Context, r *http.Request) (any, error) {
		%s
	})
	%s
}

var _ = strings.Repeat
`, body, strings.Join(more, "\n")))
		replace("main.go", "	return nil\n}\n\n// Start", "	m.scratch(r)\n	return nil\n}\n\n// Start")(s)
	}
}

// loopState is the state that dev sends to its pages.
type loopState struct {
	Number, Generation int
	Failure            *struct{ Module, Step, Text string }
}

// TestMistakes makes each mistake in a module that narthex-dev dev watches, and compares what its author
// reads with docs/modules-mistakes.md. REFERENCE=write writes the page.
func TestMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module for each mistake")
	}
	checkout := linkCheckout(t)
	if err := os.Mkdir(filepath.Join(checkout, "modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	tools, err := filepath.Abs("../../../.tools")
	if err == nil {
		err = os.Symlink(tools, filepath.Join(checkout, ".tools"))
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err := developmentBinary()
	if err != nil {
		t.Fatal(err)
	}
	runProgram(t, checkout, program, "modules:new", "--module", "prayer-list")
	s := &scratch{t: t, folder: filepath.Join(checkout, "modules", "prayer-list"),
		before: make(map[string]string)}
	for _, file := range []string{"main.go", "notes.go"} { // with routes of its own, for mistakes in them
		text, err := os.ReadFile(filepath.Join("testdata/mistakes", file+".txt"))
		if err == nil {
			err = os.WriteFile(filepath.Join(s.folder, file), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	environment := map[string]string{"PWD": checkout, "HOME": os.Getenv("HOME")}
	r := startCommand(t, environment, "", "dev", fmt.Sprintf("--port=%d", porttest.Free(t)))
	r.awaitOutputWithin(t, &r.stdout, "Ctrl-C", 2*patience)
	i := &installation{address: welcomeField(t, r, "Narthex runs at")}
	owner := i.signIn(t, dev.DevOwner, welcomeField(t, r, "Password"))

	var page strings.Builder
	page.WriteString(mistakesIntroduction)
	for _, m := range mistakes {
		before := i.loopState(t)
		mark := len(r.stderr.String())
		m.edit(s)
		var now loopState
		eventually(t, m.title+": dev has tried it", func() bool {
			now = i.loopState(t)
			return now.Number != before.Number && (m.line == "" || now.Generation != before.Generation)
		})
		message := ""
		switch {
		case m.line != "":
			owner.do("GET", "/api/v1"+m.ask, nil)
			eventually(t, m.title+": the module says why", func() bool {
				message = saidBy(r.stderr.String()[mark:], m.line, m.where)
				return message != ""
			})
		case now.Failure == nil:
			t.Errorf("%s: dev runs it", m.title)
		default:
			message = now.Failure.Step + " failed\n" + now.Failure.Text
		}
		fmt.Fprintf(&page, "\n## %s\n\nThe mistake: %s.\n\n```text\n%s\n```\n\n%s\n", m.title, m.change,
			normalise(message, checkout, i.address), m.remedy)
		s.undo()
		eventually(t, m.title+": dev runs what was before", func() bool {
			after := i.loopState(t)
			return after.Failure == nil && after.Number > now.Number
		})
	}
	for _, m := range packageMistakes(t, program) {
		fmt.Fprintf(&page, "\n## %s\n\nThe mistake: %s.\n\n```text\n%s\n```\n\n%s\n", m[0], m[1], m[2], m[3])
	}
	const path = "../../../docs/modules-mistakes.md"
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, browsers, found := strings.Cut(string(written), inBrowsers); found {
		page.WriteString(inBrowsers + browsers)
	}
	comparePage(t, path, page.String())
}

// inBrowsers begins the part of the page that TestPageMistakes of web/browsertest writes.
const inBrowsers = "\n# In browsers\n\n"

const mistakesIntroduction = "# Mistakes, and what narthex-dev says of them\n\n" +
	"`narthex-dev dev` shows these messages on the terminal, and on the open page where a step has failed;\n" +
	"what ran before runs on. What a module writes itself begins with its name on the terminal. A test makes\n" +
	"each mistake and writes this page (`REFERENCE=write go test -run TestMistakes ./cmd/narthex/e2e`).\n"

// loopState requests the state from dev.
func (i *installation) loopState(t *testing.T) (state loopState) {
	t.Helper()
	response, err := http.Get(i.address + "/_dev/state")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		t.Fatalf("GET /_dev/state: %v: %s", err, text)
	}
	return state
}

// saidBy returns the module's own line that begins with words and, if where is set, the first later one that
// contains where.
func saidBy(said, words, where string) string {
	found := ""
	for line := range strings.Lines(said) {
		text, own := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "prayer-list | ")
		switch {
		case !own:
		case found == "" && strings.HasPrefix(text, words):
			found = "prayer-list | " + text
			if where == "" {
				return found
			}
		case found != "" && strings.Contains(text, where):
			return found + "\n...\nprayer-list | " + strings.TrimSpace(text)
		}
	}
	return ""
}

// normalise replaces the parts of a message that differ between runs.
func normalise(message, folder, address string) string {
	message = strings.ReplaceAll(message, folder+"/", "")
	message = strings.ReplaceAll(message, strings.TrimPrefix(address, "http://localhost:"), "3000")
	message = regexp.MustCompile(` \+0x[0-9a-f]+`).ReplaceAllString(message, "")
	return strings.TrimSpace(message)
}

// packageMistakes are mistakes in a package that was built elsewhere: title, change, message, remedy.
func packageMistakes(t *testing.T, program string) [][4]string {
	t.Helper()
	row := func(title, change, remedy string, spoil func(folder string) error) [4]string {
		modules := t.TempDir()
		folder := filepath.Join(modules, "base")
		if err := os.CopyFS(folder, os.DirFS(builtModule(t, "base"))); err != nil {
			t.Fatal(err)
		}
		if err := spoil(folder); err != nil {
			t.Fatal(err)
		}
		validate := exec.CommandContext(t.Context(), program, "modules:validate")
		validate.Env = []string{"SERVICE_MODULES_DIR=" + modules}
		said, err := validate.CombinedOutput()
		if err == nil {
			t.Errorf("%s: modules:validate accepts it: %s", title, said)
		}
		return [4]string{title, change, strings.TrimSpace(string(said)), remedy}
	}
	server := filepath.Join("bin", runtime.GOOS+"-"+runtime.GOARCH, "base")
	return [][4]string{
		row("A dynamic executable", "the server was built without `CGO_ENABLED=0`", "Set `CGO_ENABLED=0`.",
			func(folder string) error {
				text, err := os.ReadFile("/bin/ls")
				if err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(folder, server), text, 0o755)
			}),
		row("A script that is too big", "`ui/index.js` has 5 MiB", "Leave data out of it, and fonts and pictures.",
			func(folder string) error {
				err := os.MkdirAll(filepath.Join(folder, "ui"), 0o755)
				if err == nil {
					err = os.WriteFile(filepath.Join(folder, "ui", "index.js"), make([]byte, 5<<20), 0o644)
				}
				text, readErr := os.ReadFile(filepath.Join(folder, "module.json"))
				if err != nil || readErr != nil {
					return fmt.Errorf("%w, %w", err, readErr)
				}
				text = []byte(strings.Replace(string(text), `"server"`, `"ui": "ui/index.js", "server"`, 1))
				return os.WriteFile(filepath.Join(folder, "module.json"), text, 0o644)
			}),
	}
}

// comparePage compares a page with the text that a test has produced, or writes it.
func comparePage(t *testing.T, path, want string) {
	t.Helper()
	if os.Getenv("REFERENCE") == "write" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the program says; write it by REFERENCE=write\ngot\n%s\nwant\n%s", path, got,
			want)
	}
}
