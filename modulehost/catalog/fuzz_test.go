package catalog_test

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
)

// FuzzDiscover checks that any content of a module's files gives a catalog, or findings of one printable
// line each.
func FuzzDiscover(f *testing.F) {
	cases := testdata(f)
	for _, c := range cases {
		f.Add([]byte(c.manifest), "export {}", catalogtest.Executable(f), "SELECT 1", "0001_first.sql")
	}
	announcements := cases["valid-announcements"].manifest
	f.Add([]byte(announcements), "\xff", catalogtest.Executable(f, elf.PT_INTERP), "\x00", "0002_a.sql")
	f.Add([]byte(announcements), "", "#!/bin/sh\n", "", "..")
	dir, path := writeModule(f, announcements)
	folder := filepath.Dir(path)
	f.Fuzz(func(t *testing.T, manifest []byte, script, server, sql, migration string) {
		rewrite(t, path, manifest)
		for _, name := range []string{"ui/index.js", "display/index.js"} {
			rewrite(t, filepath.Join(folder, name), []byte(script))
		}
		rewrite(t, filepath.Join(folder, "bin", runtime.GOOS+"-"+runtime.GOARCH, "announcements"), []byte(server))
		// not every text can name a file; then the module has no migration
		if migration == filepath.Base(migration) && migration[0] != '.' {
			_ = os.WriteFile(filepath.Join(folder, "migrations", migration), []byte(sql), 0o644)
			defer os.Remove(filepath.Join(folder, "migrations", migration))
		}
		assertDiscovers(t, dir)
	})
}
