package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// TestSources reads modules that are not built: everything except their artifacts is checked.
func TestSources(t *testing.T) {
	t.Parallel()
	manifest := func(id, platform string) string {
		return `{"manifestVersion":7,"id":"` + id +
			`","name":"Seats","version":"1.0.0","compatibility":{"platform":"` + platform +
			`","moduleSdk":"^0.1.0"},"entrypoints":{"server":"bin/{os}-{arch}/seats","ui":"ui/index.js"},` +
			`"database":{"abi":1,"migrations":"migrations"}}`
	}
	for _, c := range []struct{ name, manifest, file, want string }{
		{"as its author has it", manifest("seats", "^0.1.0"), "0001_seats.sql", ""},
		{"a gap", manifest("seats", "^0.1.0"), "0002_seats.sql", "ARTIFACT_INVALID"},
		{"another platform", manifest("seats", "^1.0.0"), "0001_seats.sql", "PLATFORM_INCOMPATIBLE"},
		{"another folder's", manifest("stage", "^0.1.0"), "0001_seats.sql", "MODULE_ID_MISMATCH"},
		{"broken", `{`, "0001_seats.sql", "MANIFEST_INVALID"},
	} {
		folder := filepath.Join(t.TempDir(), "seats")
		if err := errors.Join(
			os.MkdirAll(filepath.Join(folder, "migrations"), 0o755),
			os.WriteFile(filepath.Join(folder, "module.json"), []byte(c.manifest), 0o644),
			os.WriteFile(filepath.Join(folder, "migrations", c.file), []byte(`SELECT 1`), 0o644),
		); err != nil {
			t.Fatal(err)
		}
		module, err := catalog.Sources(folder, "0.1.2")
		if findings := catalog.Findings(nil); c.want != "" {
			if !errors.As(err, &findings) || string(findings[0].Code) != c.want || module != nil {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
		} else if err != nil || module.Manifest.ID != "seats" || len(module.Migrations) != 1 ||
			module.Executable != nil {
			t.Errorf("%s: error %v, want the module seats with one migration and no executable; got %+v",
				c.name, err,
				module)
		}
	}
	if _, err := catalog.Sources(filepath.Join(t.TempDir(), "gone"), "0.1.2"); err == nil {
		t.Error("there is no folder")
	}
}
