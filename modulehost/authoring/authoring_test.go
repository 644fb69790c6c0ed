package authoring_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/authoring"
	"github.com/narthex-platform/narthex/modulehost/catalog"
)

const manifest = `{"manifestVersion": 7, "id": "rota", "name": "Rota", "version": "1.0.0",
	"compatibility": {"platform": "^0.1.0", "moduleSdk": "^0.1.0"},
	"entrypoints": {"server": "bin/{os}-{arch}/rota", "ui": "ui/index.js"}}`

// TestBuild: errors in a source are reported with file and line, and a built module can be installed.
func TestBuild(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "rota")
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	build := func(want error, said string) {
		t.Helper()
		var report strings.Builder
		written, err := authoring.Build(t.Context(), folder, &report)
		if !errors.Is(err, want) || !strings.Contains(report.String(), said) {
			t.Errorf("Build: %v, error %v, want %v; it said %q, want %q in it", written, err, want,
				report.String(), said)
		}
	}
	build(authoring.ErrNoModule, "")
	write("module.json", manifest)
	build(authoring.ErrBuild, "no Go package")
	write("go.mod", "module example.org/rota\n\ngo 1.26.0\n")
	write("main.go", "package main\n\nfunc main() { rota() }\n")
	build(authoring.ErrBuild, "main.go:3:15: undefined: rota")
	write("main.go", "package main\n\nfunc main() {}\n")
	write("ui-src/index.ts", "import {\n")
	build(authoring.ErrBuild, "ui-src/index.ts:2:1: ")
	write("ui-src/index.ts", `import { defineModuleUi } from "@narthex/sdk";
		export default defineModuleUi({ mount() {} });`)
	write("contributions-src/tile.ts", `import { defineContribution } from "@narthex/sdk";
		export default defineContribution({});`)
	var report strings.Builder
	written, err := authoring.Build(t.Context(), folder, &report)
	want := []string{"bin/" + runtime.GOOS + "-" + runtime.GOARCH + "/rota", "ui/index.js",
		"contributions/tile.js"}
	if err != nil || !slices.Equal(written, want) || report.Len() > 0 {
		t.Errorf("Build: %v, error %v, said %q; want %v and nothing said", written, err, report.String(), want)
	}
	if _, err := catalog.Inspect(folder, "0.1.2"); err != nil {
		t.Errorf("the built module: %v, want one that can be installed", err)
	}
	write("module.json", "{}")
	if _, err := authoring.Build(t.Context(), folder, &report); !errors.As(err, new(catalog.Findings)) {
		t.Errorf("Build of a module with a manifest of nothing: %v, want findings", err)
	}
}
