package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := small(t, "announcements", "1.0.0")
	writeTree(t, filepath.Join(dir, "announcements"), other)
	var before string
	for _, c := range []struct {
		version, replaced string
		want              error
	}{
		{"1.2.0", "", nil}, {"1.2.0", "1.2.0", nil}, {"1.10.0-rc.1", "1.2.0", nil}, {"1.10.0", "1.10.0-rc.1", nil},
		{"1.9.0", "", archive.ErrDowngrade}, {"1.10.0-rc.1", "", archive.ErrDowngrade},
		{"1.10.0+build", "1.10.0", nil},
	} {
		path := pack(t, large(t, "people", c.version))
		got, err := archive.Install(dir, path, platform, archive.Checks{})
		if want := (archive.Installed{ID: "people", Version: c.version, Replaced: c.replaced}); c.want == nil &&
			got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if !errors.Is(err, c.want) || err != nil && got != (archive.Installed{}) {
			t.Errorf("Install of %s: %+v, error %v; want error %v", c.version, got, err, c.want)
		}
		if err == nil {
			before = c.version
		}
		assertInstalled(t, dir, other, large(t, "people", before))
	}
}

// TestInstallRepairs installs over folders that contain no valid module.
func TestInstallRepairs(t *testing.T) {
	t.Parallel()
	elsewhere := writeTree(t, filepath.Join(t.TempDir(), "people"), small(t, "people", "0.9.0"))
	for name, c := range map[string]struct {
		prepare  func(t *testing.T, folder string)
		replaced string
		want     error
	}{
		"empty folder": {func(t *testing.T, folder string) { must(t, os.Mkdir(folder, 0o755)) }, "", nil},
		"no JSON": {func(t *testing.T, folder string) { writeTree(t, folder, tree{"module.json": "{"}) }, "",
			nil},
		"no version": {func(t *testing.T,
			folder string) {
			writeTree(t, folder, tree{"module.json": `{"version":"new"}`})
		}, "", nil},
		"damaged": {func(t *testing.T, folder string) {
			writeTree(t, folder, tree{"module.json": small(t, "people", "1.0.0")["module.json"]})
		}, "1.0.0", nil},
		"manifest of another platform": {func(t *testing.T, folder string) {
			writeTree(t, folder, tree{"module.json": `{"manifestVersion":9,"version":"1.0.1"}`})
		}, "", archive.ErrDowngrade},
		"link": {func(t *testing.T, folder string) { must(t, os.Symlink(elsewhere, folder)) }, "0.9.0",
			nil},
		"link to nowhere": {func(t *testing.T, folder string) { must(t, os.Symlink("gone", folder)) }, "", nil},
		"plain file": {func(t *testing.T, folder string) { must(t, os.WriteFile(folder, nil, 0o644)) }, "",
			archive.ErrUnwritable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, files := t.TempDir(), small(t, "people", "1.0.0")
			c.prepare(t, filepath.Join(dir, "people"))
			got, err := archive.Install(dir, pack(t, files), platform, archive.Checks{})
			if !errors.Is(err, c.want) || got.Replaced != c.replaced {
				t.Fatalf("Install: replaced %q, want %q; error %v, want %v", got.Replaced, c.replaced, err,
					c.want)
			}
			if err == nil {
				assertInstalled(t, dir, files)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("the modules directory has %v, want one entry; error %v", entries, err)
			}
		})
	}
	t.Cleanup(func() {
		if text := mustRead(t, filepath.Join(elsewhere, "ui/index.js")); text != "// people 0.9.0" {
			t.Errorf("what the link led to was touched: %q", text)
		}
	})
}

func TestModulesDirectory(t *testing.T) {
	t.Parallel()
	path, dir := pack(t, small(t, "people", "1.0.0")), writeTree(t, t.TempDir(), tree{"file": ""})
	for place, want := range map[string]error{
		"": catalog.ErrDirectoryInvalid, " ": catalog.ErrDirectoryInvalid,
		filepath.Join(dir, "file"):          catalog.ErrDirectoryInvalid,
		filepath.Join(dir, "file", "below"): catalog.ErrDirectoryInvalid,
		filepath.Join(dir, "gone"):          catalog.ErrDirectoryUnreadable,
	} {
		if _, err := archive.Install(place, path, platform, archive.Checks{}); !errors.Is(err, want) {
			t.Errorf("Install into %q: error %v, want %v", place, err, want)
		}
		if err := archive.Remove(place, "people"); !errors.Is(err, want) {
			t.Errorf("Remove from %q: error %v, want %v", place, err, want)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir, elsewhere, keep := t.TempDir(), t.TempDir(), small(t, "announcements", "1.0.0")
	writeTree(t, filepath.Join(dir, "announcements"), keep)
	writeTree(t, filepath.Join(dir, "people"), large(t, "people", "1.0.0"))
	writeTree(t, filepath.Join(dir, "broken"), tree{"notes": ""})
	writeTree(t, filepath.Join(dir, ".removing-x"), keep)
	writeTree(t, filepath.Join(dir, ".installing-x/people"), keep)
	writeTree(t, elsewhere, small(t, "linked", "1.0.0"))
	must(t, os.Symlink(elsewhere, filepath.Join(dir, "linked")))
	must(t, os.Symlink(filepath.Join(elsewhere, "module.json"), filepath.Join(dir, "a-file")))
	for _, id := range []string{"people", "broken", "linked"} {
		must(t, archive.Remove(dir, id))
	}
	for _, id := range []string{"people", "a-file", "", ".", "..", "../" + filepath.Base(dir),
		"announcements/ui", "core", "Announcements"} {
		if err := archive.Remove(dir, id); !errors.Is(err, archive.ErrNotInstalled) {
			t.Errorf("%v: archive.Remove: error %v, want %v", id, err, archive.ErrNotInstalled)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "a-file")))
	assertInstalled(t, dir, keep)
	readTree(t, elsewhere)
}

// TestInstallWithoutWritePermission installs as a user without write permission. Nothing may change, and no
// path may be shown.
func TestInstallWithoutWritePermission(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command   string
		directory os.FileMode
		pkg       os.FileMode
		sum       os.FileMode
		limit     string
		want      string
	}{
		"read-only directory":  {"install", 0o555, 0o644, 0o644, "", "MODULES_DIRECTORY_UNWRITABLE: "},
		"remove from it":       {"remove", 0o555, 0o644, 0o644, "", "MODULES_DIRECTORY_UNWRITABLE: "},
		"unreadable directory": {"install", 0o300, 0o644, 0o644, "", "MODULES_DIRECTORY_UNREADABLE"},
		"unreadable package":   {"install", 0o777, 0o000, 0o644, "", "PACKAGE_UNREADABLE: "},
		"unreadable checksum": {"install", 0o777, 0o644, 0o000, "",
			"PACKAGE_CHECKSUM_MISMATCH: The checksum file beside the package cannot be read; "},
		"no room": {"install", 0o777, 0o644, 0o644, "4096", "MODULES_DIRECTORY_UNWRITABLE: "},
		"all of it": {"install", 0o777, 0o644, 0o644, "",
			`{"ID":"people","Version":"2.0.0","Replaced":"1.0.0"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := publicFolder(t)
			dir, before, after := filepath.Join(top, "modules"), large(t, "people", "1.0.0"),
				large(t, "people", "2.0.0")
			after["ui/index.js"] = strings.Repeat("x", 8192)
			writeTree(t, filepath.Join(dir, "people"), before)
			path, err := archive.Pack(writeTree(t, filepath.Join(top, "people"), after), platform, top)
			must(t, err)
			must(t, os.Chmod(path, c.pkg))
			must(t, os.Chmod(path+".sha256", c.sum))
			args := []string{dir, path}
			if c.command == "remove" {
				args[1] = "people"
			}
			process := child(t, c.command, args, fileSizeVariable+"="+c.limit)
			if os.Geteuid() == 0 {
				process.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534,
					Groups: []uint32{}}}
				must(t, os.Chown(filepath.Join(dir, "people"), 65534, 65534)) // only its owner may move a folder
			}
			must(t, os.Chmod(dir, c.directory))
			out, _ := process.CombinedOutput()
			must(t, os.Chmod(dir, 0o755))
			if !strings.HasPrefix(string(out), c.want) || strings.Contains(string(out), top) {
				t.Errorf("%s printed %s, want %s and no path", c.command, out, c.want)
			}
			if !strings.HasPrefix(c.want, "{") {
				assertInstalled(t, dir, before)
			} else if got := readTree(t, filepath.Join(dir, "people")); got["ui/index.js"] != after["ui/index.js"] {
				t.Error("not installed")
			}
		})
	}
}

// publicFolder returns a temporary folder that every user can access.
func publicFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "archive-test-")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(folder)) })
	must(t, os.Chmod(folder, 0o755))
	return folder
}
