package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/scaffold"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// checkout returns a checkout with only the files that a new module needs.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module github.com/narthex-platform/narthex\n\ngo 1.26.0\n\nrequire (\n\texample.org/a " +
			"v1.0.0\n\texample.org/b v1.1.0 // indirect\n)\n\n" +
			"tool example.org/a/cmd\n",
		"go.sum":                                    "sums\n",
		"web/dist/sdk/narthex-sdk.d.ts":             "export {};\n",
		"web/dist/sdk/narthex-sdk.js":               "",
		"web/dist/sdk/types/narthex-kit/index.d.ts": "declare const kit: 1;\n",
		"modules/taken/file":                        "",
		"deep/down/file":                            "",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func missing(folder string, names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name)); !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

func TestInsideTheCheckout(t *testing.T) {
	t.Parallel()
	dir := checkout(t)
	for _, config := range []scaffold.Config{
		{ID: "prayer-list", WorkDir: filepath.Join(dir, "deep/down")},
		{ID: "rota", WorkDir: filepath.Join(dir, "deep"), Dir: "../modules"},
	} {
		written, err := scaffold.Write(config)
		if err != nil || !written.Inside || !missing(written.Folder, "go.mod", "go.sum", ".gitignore",
			"types", "tsconfig.json") {
			t.Fatalf("Write(%+v): %+v, error %v; want a module of the checkout without a go.mod", config,
				written, err)
		}
		if !strings.Contains(read(t, written.Folder, "ui-src/index.tsx"), `from "@narthex/sdk"`) {
			t.Error("the page does not use the checkout's browser SDK")
		}
		module, err := catalog.Sources(written.Folder, abi.PlatformVersion)
		if err != nil || module.Manifest.ID != config.ID || len(module.Migrations) != 1 {
			t.Errorf("catalog.Sources: error %v, want none; ID %v, want %v; number of migrations %v, want %v",
				err, module.Manifest.ID, config.ID, len(module.Migrations), 1)
		}
	}
	if name := read(t, dir, "modules/prayer-list/module.json"); !strings.Contains(name,
		`"name": "Prayer list"`) {
		t.Errorf("read: name %.400q, want %q in it", name, `"name": "Prayer list"`)
	}
}

func TestModuleOutsideOfACheckout(t *testing.T) {
	t.Parallel()
	dir := checkout(t)
	written, err := scaffold.Write(scaffold.Config{ID: "prayer-list", WorkDir: dir,
		Dir: filepath.Join(t.TempDir(), "new", "place")})
	if err != nil || written.Inside {
		t.Fatalf("Write outside of a checkout: %+v, error %v; want a module with its own go.mod", written,
			err)
	}
	want := "module example.org/prayer-list\n\ngo 1.26.0\n\nrequire (\n" +
		"\tgithub.com/narthex-platform/narthex v0.0.0 // the test kit: for tests alone\n" +
		"\tgithub.com/narthex-platform/narthex/modulehost/sdk v0.0.0\n)\n\n" +
		"require (\n\texample.org/a v1.0.0 // indirect\n\texample.org/b v1.1.0 // indirect\n)\n\n" +
		"replace github.com/narthex-platform/narthex => \"" + dir + "\"\n\n" +
		"replace github.com/narthex-platform/narthex/modulehost/sdk => \"" + dir + "/modulehost/sdk\"\n"
	if got := read(t, written.Folder, "go.mod"); got != want {
		t.Errorf("go.mod\n%s\nwant\n%s", got, want)
	}
	if read(t, written.Folder, "go.sum") != "sums\n" ||
		read(t, written.Folder, "types/narthex-sdk.d.ts") != "export {};\n" ||
		!missing(written.Folder, "types/narthex-sdk.js") ||
		read(t, written.Folder, "types/narthex-kit/index.d.ts") != "declare const kit: 1;\n" ||
		!strings.Contains(read(t, written.Folder, "tsconfig.json"), `"./types/narthex-sdk.d.ts"`) {
		t.Error("it is not by itself")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := checkout(t)
	for _, c := range []struct {
		config scaffold.Config
		want   error
	}{
		{scaffold.Config{ID: "Prayer", WorkDir: dir}, scaffold.ErrID},
		{scaffold.Config{ID: "core", WorkDir: dir}, scaffold.ErrID},
		{scaffold.Config{ID: "../up", WorkDir: dir}, scaffold.ErrID},
		{scaffold.Config{ID: "", WorkDir: dir}, scaffold.ErrID},
		{scaffold.Config{ID: "taken", WorkDir: dir}, scaffold.ErrExists},
		{scaffold.Config{ID: "prayer", WorkDir: dir, Dir: "modules/taken/file"}, scaffold.ErrWrite},
	} {
		if _, err := scaffold.Write(c.config); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.config, err, c.want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "go.sum")); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if _, err := scaffold.Write(scaffold.Config{ID: "prayer", WorkDir: dir, Dir: outside}); !errors.Is(err,
		scaffold.ErrWrite) || !missing(outside, "prayer") {
		t.Error("half a module was kept: ", err)
	}
}

// TestWithoutACheckout: the SDK is exported beside the module, once for all modules in the folder.
func TestWithoutACheckout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, id := range []string{"prayer-list", "rota"} {
		written, err := scaffold.Write(scaffold.Config{ID: id, WorkDir: dir})
		if err != nil || written.Inside || written.Folder != filepath.Join(dir, id) {
			t.Fatalf("Write of %s without a checkout: %+v, error %v; want a module by itself", id, written, err)
		}
		goMod := read(t, written.Folder, "go.mod")
		for _, wanted := range []string{
			"=> \"../narthex-sdk/go\"\n", "=> \"../narthex-sdk/host\"\n", "github.com/jackc/pgx/v5 v5.",
		} {
			if !strings.Contains(goMod, wanted) {
				t.Errorf("go.mod of %s has no %q:\n%s", id, wanted, goMod)
			}
		}
		if strings.Contains(goMod, "esbuild") || strings.Contains(goMod, "  // indirect") {
			t.Errorf("go.mod of %s requires what no module needs:\n%s", id, goMod)
		}
		if types := read(t, written.Folder, "tsconfig.json"); !strings.Contains(types,
			`"../narthex-sdk/browser/types/narthex-kit/index.d.ts"`) || strings.Contains(types, `"./types`) {
			t.Errorf("tsconfig.json of %s: %s, want the types beside the module", id, types)
		}
		own := filepath.Join(dir, "narthex-sdk", "go", "own")
		if id == "rota" && missing(own, "") {
			t.Error("the SDK was written a second time")
		}
		if err := os.WriteFile(own, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := scaffold.Write(scaffold.Config{ID: "narthex-sdk", WorkDir: dir}); !errors.Is(err,
		scaffold.ErrExists) {
		t.Errorf("a module in the SDK's folder: %v, want %v", err, scaffold.ErrExists)
	}
}

// TestScript: a server in TypeScript is written with its types, and built; there is no Go in it.
func TestScript(t *testing.T) {
	t.Parallel()
	for where, types := range map[string]string{"": "../../narthex-sdk/server/narthex-server.d.ts",
		checkout(t): "../../../web/server/narthex-server.d.ts"} {
		if where == "" {
			where = t.TempDir()
		}
		written, err := scaffold.Write(scaffold.Config{ID: "prayer-list", WorkDir: where, Script: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, written.Folder, "server-src/tsconfig.json"); !strings.Contains(got, types) {
			t.Errorf("server-src/tsconfig.json: %s, want %s in it", got, types)
		}
		if !missing(written.Folder, "go.mod", "go.sum", "main.go", "main_test.go", "notes.go") {
			t.Errorf("%s has files of Go", written.Folder)
		}
		if _, err := catalog.Inspect(written.Folder, abi.PlatformVersion); err != nil {
			t.Errorf("the new module is no valid package: %v", err)
		}
	}
}
