package sdkexport_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	narthex "github.com/narthex-platform/narthex"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdkexport"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestWrite: an export has its three parts, without tests, and a second export replaces the first completely.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "sdk")
	for range 2 {
		if err := sdkexport.Write(dir); err != nil || !sdkexport.IsExport(dir) {
			t.Fatalf("Write: %v; an export: %v, want nil and true", err, sdkexport.IsExport(dir))
		}
		for file, wanted := range map[string]string{
			"go/go.mod":                  "module github.com/narthex-platform/narthex/modulehost/sdk\n",
			"go/abi/abi.proto":           "message RegisterRequest",
			"go/link/link.go":            "package link",
			"go/sqldb/sqldb.go":          "package sqldb",
			"host/go.mod":                "modulehost/sdk => ../go\n",
			"host/go.sum":                "github.com/jackc/pgx/v5",
			"browser/package.json":       `"version": "` + abi.PlatformVersion + `"`,
			"browser/narthex-sdk.js":     "export",
			"server/package.json":        `"version": "` + abi.PlatformVersion + `"`,
			"server/narthex-server.d.ts": "export function defineModule",
			"README.md":                  "sdk:export",
			"docs/modules.md":            "home.tiles",
			"docs/link.md":               "| 7.11 |",
		} {
			if got := read(t, dir, file); !strings.Contains(got, wanted) {
				t.Errorf("%s has no %q:\n%.300s", file, wanted, got)
			}
		}
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if strings.HasSuffix(path, "_test.go") || entry.Name() == "testdata" || entry.Name() == "left" {
				t.Errorf("%s was exported, or left from before", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go", "left"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("beside the export: %v, error %v; want nothing", entries, err)
	}
}

// TestFolderWithoutExportIsKept: a folder that is not an export is not replaced.
func TestFolderWithoutExportIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "mine")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{dir, file} {
		if err := sdkexport.Write(place); !errors.Is(err, sdkexport.ErrExists) {
			t.Errorf("Write: %v, want %v", err, sdkexport.ErrExists)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestExportHasEveryImport: the exported sources contain everything that the test kit imports.
func TestExportHasEveryImport(t *testing.T) {
	t.Parallel()
	const platform = "github.com/narthex-platform/narthex/"
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", platform+"modulehost/sdktest")
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(output)) {
		folder, ours := strings.CutPrefix(strings.TrimSpace(name), platform)
		if !ours || strings.HasPrefix(folder+"/", "modulehost/sdk/") { // the SDK is a Go module of its own
			continue
		}
		if _, err := fs.Stat(narthex.Host, folder); err != nil {
			t.Errorf("sources.go does not embed %s, of which the test kit is built: %v", folder, err)
		}
	}
}
