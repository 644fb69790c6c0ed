package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
)

// TestVersionTaken installs other bytes under versions that are installed, were replaced, or were removed.
func TestVersionTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install := func(version, script string, checks archive.Checks) error {
		files := small(t, "people", version)
		files["ui/index.js"] = script
		_, err := archive.Install(dir, pack(t, files), platform, checks)
		return err
	}
	for n, step := range []struct {
		version, script string
		rebuilt, remove bool
		want            error
		installed       string // the script that is installed afterwards
	}{
		{version: "1.0.0", script: "a", installed: "a"},
		{version: "1.0.0", script: "b", want: archive.ErrVersionTaken, installed: "a"},
		{version: "1.0.0", script: "a", installed: "a"},
		{version: "1.0.0", script: "b", rebuilt: true, installed: "b"},
		{version: "1.0.0", script: "a", want: archive.ErrVersionTaken, installed: "b"},
		{version: "1.1.0", script: "c", installed: "c"},
		{version: "1.1.0+other", script: "d", installed: "d"}, // another name, so another package
		{version: "1.1.0", script: "e", want: archive.ErrVersionTaken, installed: "d"},
		{version: "1.1.0", script: "c", installed: "c"},
		{remove: true},
		{version: "1.1.0", script: "f", want: archive.ErrVersionTaken},
		{version: "1.0.0", script: "a", want: archive.ErrVersionTaken},
		{version: "1.0.0", script: "b", installed: "b"},
	} {
		if step.remove {
			must(t, archive.Remove(dir, "people"))
		} else if err := install(step.version, step.script, archive.Checks{Rebuilt: step.rebuilt}); !errors.Is(err,
			step.want) {
			t.Errorf("step %d: Install of %s with %q: %v, want %v", n, step.version, step.script, err, step.want)
		}
		if step.installed == "" {
			if _, err := os.Stat(filepath.Join(dir, "people")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("step %d: the module is installed, want none; error %v", n, err)
			}
		} else if got := mustRead(t, filepath.Join(dir, "people/ui/index.js")); got != step.installed {
			t.Errorf("step %d: %q is installed, want %q", n, got, step.installed)
		}
	}
}

// TestVersionOfChangedFolder installs over folders whose record does not describe what is in them.
func TestVersionOfChangedFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change tree
		want   error
	}{
		"unchanged":                  {nil, archive.ErrVersionTaken},
		"damaged script":             {tree{"ui/index.js": ""}, archive.ErrVersionTaken},
		"record of another form":     {tree{archive.RecordName: "x"}, nil},
		"manifest of another origin": {small(t, "people", "0.9.0"), nil},
	} {
		dir, other := t.TempDir(), small(t, "people", "1.0.0")
		other["ui/index.js"] = "other"
		_, err := archive.Install(dir, pack(t, small(t, "people", "1.0.0")), platform, archive.Checks{})
		must(t, err)
		writeTree(t, filepath.Join(dir, "people"), c.change)
		if _, err := archive.Install(dir, pack(t, other), platform, archive.Checks{}); !errors.Is(err, c.want) {
			t.Errorf("%s: Install of other bytes: %v, want %v", name, err, c.want)
		}
	}
}

// TestCopyVersions tries an installation in another directory, as a rehearsal does.
func TestCopyVersions(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), small(t, "people", "1.0.0")
	other["ui/index.js"] = "other"
	must(t, archive.CopyVersions(dir, t.TempDir())) // a directory that remembers nothing
	for _, version := range []string{"1.0.0", "2.0.0"} {
		_, err := archive.Install(dir, pack(t, small(t, "people", version)), platform, archive.Checks{})
		must(t, err)
	}
	trial := t.TempDir()
	must(t, archive.CopyVersions(dir, trial))
	if _, err := archive.Install(trial, pack(t, other), platform, archive.Checks{}); !errors.Is(err,
		archive.ErrVersionTaken) {
		t.Errorf("Install of other bytes where the versions were copied to: %v, want %v", err,
			archive.ErrVersionTaken)
	}
}
