package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// TestInspect checks that Inspect finds what discovery finds for one module, except for its dependencies.
func TestInspect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := install(t, dir, "people", fields{"entrypoints": fields{"ui": "ui.js"},
		"dependencies": needs([]string{"module gone ^1.0.0"})})
	write(t, filepath.Join(folder, "ui.js"), "ui")
	m, err := catalog.Inspect(folder, platform)
	must(t, err)
	if m.Manifest.ID != "people" || m.Folder != folder || string(m.UI.Bytes) != "ui" ||
		len(m.Dependencies) != 0 {
		t.Errorf("got %+v", m)
	}
	if _, err := catalog.Inspect(folder, "v1"); err == nil {
		t.Error("a platform without a version inspected a module")
	}

	broken := t.TempDir()
	folder = install(t, broken, "people",
		fields{"entrypoints": fields{"ui": "ui.js"}, "compatibility": fields{"platform": "^9.0.0",
			"moduleSdk": "^0.1.0"}})
	other := install(t, broken, "others", fields{"id": "another"})
	for folder, want := range map[string][]error{
		folder: {catalog.ErrPlatformIncompatible, manifest.ErrArtifactInvalid}, other: {catalog.ErrIDMismatch},
		filepath.Join(broken, "gone"): {catalog.ErrManifestMissing},
	} {
		m, err := catalog.Inspect(folder, platform)
		var findings catalog.Findings
		if !errors.As(err, &findings) || m != nil || len(findings) != len(want) {
			t.Fatalf("got %v, %v", m, err)
		}
		for i, code := range want {
			if findings[i].Code != code {
				t.Errorf("got %v, want %v", findings[i], code)
			}
		}
	}
	must(t, os.RemoveAll(other))
	_, alone := catalog.Inspect(folder, platform)
	if _, all := catalog.Discover(broken, true, platform); all == nil || all.Error() != alone.Error() {
		t.Errorf("Discover finds %v, Inspect %v, want the same", all, alone)
	}
}
