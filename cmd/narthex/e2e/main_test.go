package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestMain(m *testing.M) {
	modulesRoot, err := os.MkdirTemp("", "narthex-modules-")
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(modulesRoot, 0o755); err != nil { // modules run as users of their own
		panic(err)
	}
	built.root = modulesRoot
	databasetest.Main(&cleaningUp{m, modulesRoot})
}

// cleaningUp removes what the tests built when they have run.
type cleaningUp struct {
	*testing.M
	root string
}

// Run runs the tests.
func (c *cleaningUp) Run() int {
	defer os.RemoveAll(c.root)
	return c.M.Run()
}

// built are the modules that tests use, each built once.
var built struct {
	root string
	mu   sync.Mutex
	done map[string]string // id → folder
}

// sources tells where a module comes from: its folder, and the Go package of its server.
func sources(id string) (folder, server string) {
	if id == "announcements" {
		return "../../../modules/announcements", "../../../modules/announcements"
	}
	return "testdata/modules/" + id, "./testdata/modules/" + id + "/server"
}

// narthexBinary is the real narthex, built once with the race detector where the tests have it: tests
// start, signal and kill it.
var narthexBinary = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(built.root, "narthex")
	arguments := []string{"build", "-o", path}
	if raceDetector {
		arguments = append(arguments, "-race")
	}
	build := exec.Command("go", append(arguments, "github.com/narthex-platform/narthex/cmd/narthex")...)
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building narthex: %w\n%s", err, output)
	}
	return path, nil
})

// builtModule returns a folder with the module's manifest, its files and its built server.
func builtModule(tb testing.TB, id string) string {
	tb.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if folder, found := built.done[id]; found {
		return folder
	}
	source, server := sources(id)
	folder := filepath.Join(built.root, id)
	program := filepath.Join(folder, "bin", runtime.GOOS+"-"+runtime.GOARCH, id)
	build := exec.Command("go", "build", "-o", program, server)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("building %s: %v\n%s", id, err, output)
	}
	copyFile(tb, filepath.Join(source, "module.json"), filepath.Join(folder, "module.json"))
	for _, part := range []string{"migrations", "ui", "display", "contributions"} {
		if _, err := os.Stat(filepath.Join(source, part)); err != nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(folder, part), os.DirFS(filepath.Join(source, part))); err != nil {
			tb.Fatal(err)
		}
	}
	if built.done == nil {
		built.done = make(map[string]string)
	}
	built.done[id] = folder
	return folder
}

// installed returns a modules directory that holds just these modules.
func installed(tb testing.TB, ids ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, id := range ids {
		if err := os.Symlink(builtModule(tb, id), filepath.Join(dir, id)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func copyFile(tb testing.TB, from, to string) {
	tb.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
