package catalog_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

func TestDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, file := filepath.Join(dir, "gone"), filepath.Join(dir, "file")
	write(t, file, "")
	for _, c := range []struct {
		dir      string
		explicit bool
		want     error
	}{
		{missing, false, nil}, {missing, true, catalog.ErrDirectoryUnreadable},
		{"gone", false, nil}, {"modules", true, catalog.ErrDirectoryInvalid},
		{"", true, catalog.ErrDirectoryInvalid}, {" \t", true, catalog.ErrDirectoryInvalid},
		{"", false, catalog.ErrDirectoryInvalid},
		{file, true, catalog.ErrDirectoryInvalid}, {file, false, catalog.ErrDirectoryInvalid},
		{filepath.Join(file, "below"), true, catalog.ErrDirectoryInvalid},
	} {
		c2, err := catalog.Discover(c.dir, c.explicit, platform)
		if !errors.Is(err, c.want) || err == nil && (len(c2.Modules) != 0 || !onlyCore(c2.Permissions)) {
			t.Errorf("Discover(%q), explicit %v: %v, error %v; want error %v", c.dir, c.explicit, c2, err,
				c.want)
		}
		if err != nil && (c2 != nil || strings.Contains(err.Error(), "/")) {
			t.Errorf("%q: a catalog or a path beside the error: %v, %v", c.dir, c2, err)
		}
	}
	if _, err := catalog.Discover(dir, true, "v1"); err == nil {
		t.Error("a platform without a version discovered modules")
	}
}

func TestModuleIsReadWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := catalogtest.Executable(t)
	folder := install(t, dir, "announcements", fields{
		"provides": []fields{{"capability": "announcements.slides", "version": "1.2.0"}},
		"permissions": []fields{{"id": "announcements.slides.manage", "baseline": "restricted",
			"description": "Write"},
			{"id": "announcements.display.view", "baseline": "authenticated"}},
		"entrypoints": fields{"server": "bin/{os}-{arch}/announcements", "ui": "ui/index.js",
			"display": fields{"artifact": "display/index.js", "permission": "announcements.display.view"}},
		"database":      fields{"abi": 1, "migrations": "migrations"},
		"contributions": []fields{contribution("announcements.a", "a.js"), contribution("announcements.b", "b.js")},
	})
	m, findings := manifest.Parse(mustRead(t, filepath.Join(folder, "module.json")))
	if findings != nil {
		t.Fatalf("manifest.Parse: findings %v, want none", findings)
	}
	for path, text := range map[string]string{m.Server: server, "ui/index.js": "ui",
		"display/index.js": "display", "a.js": "a", "b.js": "b",
		"migrations/0001_first.sql": "CREATE TABLE a ()", "migrations/0002_second-step.sql": "DROP TABLE a",
		"migrations/.keep": "",
		"notes.txt":        "never named, never read"} {
		write(t, filepath.Join(folder, path), text)
	}
	must(t, syscall.Mkfifo(filepath.Join(folder, "fifo-nobody-names"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	write(t, filepath.Join(dir, "README.md"), "not a module")
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))

	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	got, ok := found.Module("announcements")
	if !ok || len(found.Modules) != 1 || found.Modules[0] != got {
		t.Fatalf("Discover: modules %+v, want announcements alone", found.Modules)
	}
	if got.Folder != folder || got.Level != 0 || got.Manifest.Name != "ANNOUNCEMENTS" {
		t.Errorf("module %+v, want ANNOUNCEMENTS at level 0 in %s", got, folder)
	}
	for text, artifact := range map[string]*manifest.Artifact{
		"ui": got.UI, "display": got.Display, "a": got.Contributions[0], "b": got.Contributions[1]} {
		if string(artifact.Bytes) != text || artifact.SHA256 != sha256.Sum256([]byte(text)) ||
			artifact.Identity.Inode == 0 {
			t.Errorf("artifact %q: %+v, want its bytes, their SHA-256 and the file's identity", text,
				artifact)
		}
	}
	if got.Executable.Identity.Size != int64(len(server)) || got.Executable.Identity.Inode == 0 ||
		got.Executable.Path != m.Server || got.Executable.Bytes != nil {
		t.Errorf("executable %+v, want %s with the file's identity and without bytes", got.Executable, m.Server)
	}
	want := []catalog.SQLFile{{Version: 1, Name: "first", SQL: []byte("CREATE TABLE a ()")},
		{Version: 2, Name: "second-step", SQL: []byte("DROP TABLE a")}}
	if fmt.Sprint(got.Migrations) != fmt.Sprint(want) {
		t.Errorf("migrations: %v, want every file in order", got.Migrations)
	}
	if provider, version := found.Provider("announcements.slides"); provider != got ||
		version.String() != "1.2.0" {
		t.Errorf("Provider: %v %v, want the module and the version 1.2.0", provider, version)
	}
	for _, unknown := range []string{"announcements.other", "people.slides", "announcements", ""} {
		if provider, version := found.Provider(unknown); provider != nil || version != nil {
			t.Errorf("Provider(%q): %v, version %v, want none", unknown, provider, version)
		}
	}
	if _, ok := found.Module("people"); ok {
		t.Error("a module that is not installed")
	}
}

func TestPermissionsAreComposed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "zoo", fields{"permissions": []fields{{"id": "zoo.see", "baseline": "authenticated"}}})
	install(t, dir, "bar", fields{"permissions": []fields{{"id": "bar.z", "baseline": "restricted",
		"description": "Zed"},
		{"id": "bar.a", "baseline": "restricted"}}})
	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	var got strings.Builder
	for _, p := range found.Permissions {
		description := p.Description
		if p.ModuleID == "" {
			if description == "" {
				t.Errorf("permission %s has no description", p.ID)
			}
			description = ""
		}
		fmt.Fprintf(&got, "%s|%s|%s|%s\n", p.ID, p.Baseline, p.ModuleID, description)
	}
	const want = `bar.a|restricted|bar|
bar.z|restricted|bar|Zed
core.account.read|authenticated||
core.activity.read|restricted||
core.authorization.grants.manage|restricted||
core.dashboard.navigation.manage|restricted||
core.devices.manage|restricted||
core.house.manage|restricted||
core.links.manage|restricted||
core.modules.configuration.manage|restricted||
core.modules.lifecycle.manage|restricted||
core.modules.ui.read|authenticated||
core.people.manage|restricted||
zoo.see|authenticated|zoo|
`
	if got.String() != want {
		t.Errorf("permissions\n%s\nwant\n%s", got.String(), want)
	}
}

// onlyCore reports whether all permissions are Core's.
func onlyCore(permissions []catalog.Permission) bool {
	return len(permissions) > 0 &&
		!slices.ContainsFunc(permissions, func(p catalog.Permission) bool { return p.ModuleID != "" })
}

func TestLinkedModuleFolder(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	install(t, elsewhere, "people", nil)
	must(t, os.Symlink(filepath.Join(elsewhere, "people"), filepath.Join(dir, "people")))
	must(t, os.Symlink(filepath.Join(elsewhere, "people", "module.json"), filepath.Join(dir, "a-file")))
	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	if len(found.Modules) != 1 {
		t.Errorf("a linked module: discovered %d modules, want 1", len(found.Modules))
	}
	must(t, os.Symlink(filepath.Join(elsewhere, "gone"), filepath.Join(dir, "gone")))
	if _, err = catalog.Discover(dir, true, platform); !errors.Is(err, catalog.ErrManifestMissing) {
		t.Errorf("a link to nowhere: %v", err)
	}
}

func contribution(id, artifact string) fields {
	return fields{"id": id, "version": "1.0.0", "capability": "elsewhere.slides", "range": "^1.0.0",
		"artifact": artifact}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}
