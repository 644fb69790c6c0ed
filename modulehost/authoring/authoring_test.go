package authoring_test

import (
	"bytes"
	"errors"
	"io"
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
		writeFile(t, filepath.Join(folder, name), content)
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

// TestServerOfAnotherLanguage: a server without Go sources stays as its author has built it.
func TestServerOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "rota")
	server := "bin/" + runtime.GOOS + "-" + runtime.GOARCH + "/rota"
	for name, content := range map[string]string{
		"module.json": manifest, "ui-src/index.ts": "export default 1;", server: "built by somebody",
	} {
		writeFile(t, filepath.Join(folder, name), content)
	}
	var report strings.Builder
	_, err := authoring.Build(t.Context(), folder, &report)
	kept, readErr := os.ReadFile(filepath.Join(folder, server))
	if err != nil || readErr != nil || string(kept) != "built by somebody" {
		t.Errorf("Build beside a server in another language: error %v, said %q; then it is %q, error %v; want it "+
			"kept", err, report.String(), kept, readErr)
	}
}

// TestBuildIsReproducible: the same sources give the same server in every folder.
func TestBuildIsReproducible(t *testing.T) {
	t.Setenv("GOFLAGS", "-trimpath=false") // whatever this machine is set to
	var servers [2][]byte
	for n := range servers {
		folder := filepath.Join(t.TempDir(), "rota")
		writeFile(t, filepath.Join(folder, "module.json"), manifest)
		writeFile(t, filepath.Join(folder, "go.mod"), "module example.org/rota\n\ngo 1.26.0\n")
		writeFile(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() { panic(1) }\n")
		writeFile(t, filepath.Join(folder, "ui-src", "index.ts"), "export default 1;")
		written, err := authoring.Build(t.Context(), folder, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if servers[n], err = os.ReadFile(filepath.Join(folder, written[0])); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(servers[0], servers[1]) {
		t.Error("the servers built in two folders differ, want the same bytes")
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}
