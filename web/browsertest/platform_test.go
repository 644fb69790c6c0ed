package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/buildtest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// install builds narthex-dev into an empty folder, and the modules of the given source folders into its
// folder modules.
func install(t *testing.T, modules ...string) (folder string) {
	t.Helper()
	folder = newFolder(t, "platform-")
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	installInto(t, folder, modules...)
	return folder
}

// newFolder makes a folder that PostgreSQL's own user can enter, unlike those of t.TempDir.
func newFolder(t *testing.T, name string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// installInto puts the program with every command and the modules into a folder.
func installInto(t *testing.T, folder string, modules ...string) {
	t.Helper()
	build(t, filepath.Join(folder, "narthex"), "../../cmd/narthex-dev") // it has every command
	for _, source := range modules {
		id := filepath.Base(source)
		module := filepath.Join(folder, "modules", id)
		if err := os.CopyFS(module, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		if sources, _ := filepath.Glob(filepath.Join(source, "*.go")); len(sources) > 0 {
			build(t, filepath.Join(module, "bin", runtime.GOOS+"-"+runtime.GOARCH, id), source)
		}
	}
}

// programs are the programs that tests have built, by source package. They are in the temporary folder of the
// test run.
var programs struct {
	mu    sync.Mutex
	paths map[string]string
}

// build copies a program to the given path. Each program is built once for all tests.
func build(t *testing.T, program, source string) {
	t.Helper()
	programs.mu.Lock()
	defer programs.mu.Unlock()
	built, found := programs.paths[source]
	if !found {
		// Two sources may have the same name, such as a module and its stand-in of testdata.
		built = filepath.Join(os.TempDir(), fmt.Sprintf("built-%d-%s", len(programs.paths), filepath.Base(source)))
		if err := buildtest.Module(built, source); err != nil {
			t.Fatal(err)
		}
		if programs.paths == nil {
			programs.paths = make(map[string]string)
		}
		programs.paths[source] = built
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	// The platform refuses a server that has several hard links, so copy it. cp does it in a process of its
	// own, because a file that this process has had open for writing could still be busy when it is started.
	if report, err := exec.CommandContext(t.Context(), "cp", built, program).CombinedOutput(); err != nil {
		t.Fatalf("cp %s %s: %v\n%s", built, program, err, report)
	}
}

// daemon is a running narthex process.
type daemon struct {
	process *os.Process
	ended   chan struct{}
	failure error // set after its end

	mu   sync.Mutex
	said []byte
}

// launch starts a program that runs until the test ends, or until it is stopped.
func launch(t *testing.T, command *exec.Cmd) *daemon {
	t.Helper()
	d := &daemon{ended: make(chan struct{})}
	command.Stdout, command.Stderr = d, d
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	d.process = command.Process
	go func() {
		defer close(d.ended)
		d.failure = command.Wait()
	}()
	t.Cleanup(func() { d.stop(t) })
	return d
}

// stop interrupts the program and waits for its end. It may be called twice.
func (d *daemon) stop(t *testing.T) {
	t.Helper()
	_ = d.process.Signal(os.Interrupt)
	select {
	case <-d.ended:
	case <-time.After(2 * patience): // the program's own deadlines are shorter
		_ = d.process.Kill()
		<-d.ended
	}
	if d.failure != nil {
		t.Errorf("the platform ended with %v", d.failure)
	}
}

// Write receives the output of the program.
func (d *daemon) Write(text []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, text...)
	return len(text), nil
}

// waitForLine waits for a line that contains words and returns the rest of the line after them.
func (d *daemon) waitForLine(t *testing.T, words string) string {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("the platform says %q or ends", words), func() bool {
		_, found := d.textAfter(words)
		return found || d.hasEnded()
	})
	rest, found := d.textAfter(words)
	if !found {
		t.Fatalf("the platform never says %q, but\n%s", words, d.text())
	}
	return rest
}

func (d *daemon) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return string(d.said)
}

func (d *daemon) textAfter(words string) (rest string, found bool) {
	for line := range strings.Lines(d.text()) {
		if _, rest, found := strings.Cut(line, words); found && strings.HasSuffix(line, "\n") {
			return strings.TrimSuffix(rest, "\n"), true
		}
	}
	return "", false
}

func (d *daemon) hasEnded() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}
