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
		t.Errorf("Inspect: %+v, want people in %s with its page and no resolved dependency", m, folder)
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
			t.Fatalf("Inspect of %s: module %v, error %v; want the findings %v", folder, m, err, want)
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

// TestCheckInstall checks that a staged module replaces the installed one: findings about the installed one
// are no longer reported, and other modules' requirements are compared with the staged one.
func TestCheckInstall(t *testing.T) {
	t.Parallel()
	dir, staging := t.TempDir(), t.TempDir()
	install(t, dir, "rota", fields{"dependencies": needs([]string{"module people ^1.0.0"})})
	install(t, dir, "people", fields{"version": "1.0.0", "dependencies": needs([]string{"module gone *"})})
	for version, want := range map[string]error{"1.1.0": nil, "2.0.0": catalog.ErrDependencyIncompatible} {
		staged := install(t, filepath.Join(staging, version), "people", fields{"version": version})
		if err := catalog.CheckInstall(dir, staged, platform); !errors.Is(err, want) ||
			errors.Is(err, catalog.ErrDependencyMissing) {
			t.Errorf("installing people %s in place of a broken 1.0.0: %v, want %v", version, err, want)
		}
	}
	if err := catalog.CheckInstall("modules", dir, platform); !errors.Is(err, catalog.ErrDirectoryInvalid) {
		t.Errorf("installing into a relative directory: %v, want %v", err, catalog.ErrDirectoryInvalid)
	}
}
