package dev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFoldersWithoutModules: a folder that was given by mistake is named, instead of a platform that runs
// without the module.
func TestFoldersWithoutModules(t *testing.T) {
	t.Parallel()
	empty, module := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(module, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "module.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		filepath.Join(empty, "missing"): "does not exist",
		empty:                           "has no module",
		module:                          "",
		filepath.Dir(module):            "",
	} {
		sources, err := findSources(filepath.Join(empty, "modules"), []string{folder})
		switch {
		case want == "" && (err != nil || len(sources) != 1 || sources[0].id != "notes"):
			t.Errorf("%s: %v, error %v; want the module", folder, sources, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), folder+" "+want)):
			t.Errorf("%s: error %v, want %q", folder, err, want)
		}
	}
}
