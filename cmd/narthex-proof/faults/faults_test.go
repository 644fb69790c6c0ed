package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/buildtest"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestTheSuiteRuns runs a cheap fault, so that the suite stays usable, and one that does not exist.
func TestTheSuiteRuns(t *testing.T) {
	t.Chdir("../../..")
	binary := filepath.Join(t.TempDir(), "narthex")
	if err := buildtest.Program(binary, "./cmd/narthex"); err != nil {
		t.Fatal(err)
	}
	k, err := newKit(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	var report strings.Builder
	if err := runFaults(t.Context(), &report, k, regexp.MustCompile(`^modules/crash$`)); err != nil ||
		!strings.HasSuffix(report.String(), "\n1 passed, 0 failed\n") {
		t.Errorf("error %v, want none and one passed:\n%s", err, report.String())
	}
	if err := runFaults(t.Context(), &report, k, regexp.MustCompile(`^nothing$`)); err == nil {
		t.Error("a pattern that no fault matches: no error, want one")
	}
}

// TestFaultsAreNamedOnce: names are unique, because -run selects by name, and docs/reliability.md lists them.
func TestFaultsAreNamedOnce(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, f := range allFaults() {
		if seen[f.name] || f.done == "" || f.expected == "" || f.run == nil {
			t.Errorf("fault %q is there twice, or a part of it is missing", f.name)
		}
		seen[f.name] = true
		if !strings.Contains(string(page), "| `"+f.name+"` |") {
			t.Errorf("docs/reliability.md has no row of %s", f.name)
		}
	}
}

// TestScans: what was counted before a server was killed is not lost, and what was counted before the soak is
// not part of it.
func TestScans(t *testing.T) {
	total, counted := make(scans), scans{"session": 7, "person": 2}
	for _, now := range []scans{{"session": 7, "person": 3}, {"session": 9, "person": 3}, {"session": 1}} {
		total.add(counted, now)
		counted = now
	}
	if total["session"] != 3 || total["person"] != 1 {
		t.Errorf("the scans are %v, want 3 of session, one of them after a new beginning, and 1 of person", total)
	}
}
