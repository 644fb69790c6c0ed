package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/buildtest"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestMain(m *testing.M) {
	// The tests wait for other processes; -parallel on the command line wins. Each could use 40 of the
	// server's 200 connections, but uses fewer.
	_ = flag.Set("test.parallel", "4")
	modulesRoot, err := os.MkdirTemp("", "narthex-modules-")
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(modulesRoot, 0o755); err != nil { // modules run as other users
		panic(err)
	}
	buildModules.root = modulesRoot
	databasetest.Main(&cleanup{m, modulesRoot})
}

// cleanup removes what the tests built, after they have run.
type cleanup struct {
	*testing.M
	root string
}

// Run runs the tests and then removes the built files.
func (c *cleanup) Run() int {
	defer os.RemoveAll(c.root)
	return c.M.Run()
}

// buildModules holds the modules that tests use, each built once.
var buildModules struct {
	root string
	mu   sync.Mutex
	done map[string]string // id → folder
}

// sources returns the sources of a module: its folder, and the Go package of its server.
func sources(id string) (folder, server string) {
	if reference := "../../../modules/" + id; isFile(reference + "/module.json") {
		return reference, reference
	}
	return "testdata/modules/" + id, "./testdata/modules/" + id + "/server"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// narthexBinary is the path of the real narthex, built once, with the race detector if the tests have it.
// Tests start, signal and kill it. developmentBinary is that of narthex-dev.
var (
	narthexBinary = sync.OnceValues(func() (path string, err error) {
		return buildProgram("narthex", "narthex")
	})
	developmentBinary = sync.OnceValues(func() (path string, err error) {
		return buildProgram("narthex-dev", "narthex-dev")
	})
	// shortBinary is narthex with a tenth of each deadline (supervisor/deadlines).
	shortBinary = sync.OnceValues(func() (path string, err error) {
		return buildProgram("narthex-short", "narthex", "-tags", "nomsgpack,shortdeadlines")
	})
)

func buildProgram(file, name string, flags ...string) (path string, err error) {
	path = filepath.Join(buildModules.root, file)
	if raceDetector {
		flags = append(flags, "-race")
	}
	return path, buildtest.Program(path, "github.com/narthex-platform/narthex/cmd/"+name, flags...)
}

// developmentCommands are the commands that only narthex-dev has.
var developmentCommands = []string{"dev", "modules:build", "modules:new", "modules:test",
	"modules:conform", "sdk:export"}

// binaryFor returns the program that has a command: narthex, if it has it.
func binaryFor(args []string) (path string, err error) {
	if len(args) > 0 && slices.Contains(developmentCommands, args[0]) {
		return developmentBinary()
	}
	return narthexBinary()
}

// builtModule returns a folder with a module's manifest, its files and its compiled server.
func builtModule(tb testing.TB, id string) string {
	tb.Helper()
	buildModules.mu.Lock()
	defer buildModules.mu.Unlock()
	if folder, found := buildModules.done[id]; found {
		return folder
	}
	source, server := sources(id)
	folder := filepath.Join(buildModules.root, id)
	program := filepath.Join(folder, "bin", runtime.GOOS+"-"+runtime.GOARCH, id)
	scripted := isFile(source + "/server/index.js")
	if isFile(source+"/main.go") || source != server && !scripted { // otherwise it has only browser code
		if err := buildtest.Module(program, server); err != nil {
			tb.Fatal(err)
		}
	} else if err := os.MkdirAll(folder, 0o755); err != nil {
		tb.Fatal(err)
	}
	copyFile(tb, filepath.Join(source, "module.json"), filepath.Join(folder, "module.json"))
	for _, part := range []string{"migrations", "ui", "display", "link", "contributions", "server"} {
		if part == "server" && !scripted {
			continue
		}
		if _, err := os.Stat(filepath.Join(source, part)); err != nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(folder, part), os.DirFS(filepath.Join(source, part))); err != nil {
			tb.Fatal(err)
		}
	}
	if buildModules.done == nil {
		buildModules.done = make(map[string]string)
	}
	buildModules.done[id] = folder
	return folder
}

// modulesDirectory returns a modules directory with exactly these modules.
func modulesDirectory(tb testing.TB, ids ...string) string {
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
