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
