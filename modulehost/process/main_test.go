package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/leaktest"
)

// The test binary plays three parts: the tests and their host, a second host that is killed
// (hostkilled_test.go), and the modules (module_test.go), correct and misbehaving. A module's environment is
// empty, so the name of its executable says which one it is.
func TestMain(m *testing.M) {
	if mode, ok := strings.CutPrefix(filepath.Base(os.Args[0]), "child-"); ok {
		runTestModule(mode)
		return
	}
	if os.Getenv(containedBy) == "wanted" {
		fmt.Fprintln(os.Stderr, runContained())
		os.Exit(1)
	}
	if executable := os.Getenv("NARTHEX_TEST_HOST"); executable != "" {
		runTestHost(executable)
		return
	}
	os.Exit(runTests(m))
}

var modules string // the folder of the child-<mode> executables

// runTests builds the modules' executable as modules are built: static, and without the race detector,
// whose shadow memory fits into no address space limit.
func runTests(m *testing.M) int {
	// this host was started by a test (matrix_test.go)
	if modules = os.Getenv("NARTHEX_TEST_MODULES"); modules != "" {
		return hardened(m)
	}
	folder, err := os.MkdirTemp("", "process-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	modules = folder
	if err := os.Chmod(folder, 0o755); err != nil { // for a host with another uid
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	build := exec.Command("go", "test", "-c", "-o", filepath.Join(folder, "module"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintln(os.Stderr, err, string(out))
		return 1
	}
	return hardened(m)
}

// hardened runs the tests in a host that has called Harden, as the real one does.
func hardened(m *testing.M) int {
	if err := process.Harden(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return leaktest.Check(m.Run())
}

// executable returns the path of a module that behaves as mode says.
func executable(tb testing.TB, mode string) string {
	tb.Helper()
	path := filepath.Join(modules, "child-"+mode)
	if err := os.Link(filepath.Join(modules, "module"), path); err != nil && !os.IsExist(err) {
		tb.Fatal(err)
	}
	return path
}
