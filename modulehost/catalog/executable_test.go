package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
)

// TestVerifyServer checks that a server program that was replaced after discovery is refused, even by a
// file of the same content.
func TestVerifyServer(t *testing.T) {
	t.Parallel()
	dir, server := t.TempDir(), catalogtest.Executable(t)
	folder := install(t, dir, "people", fields{"entrypoints": fields{"server": "server"}})
	path := filepath.Join(folder, "server")
	write(t, path, server)
	must(t, os.Chmod(path, 0o755))
	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	people, _ := found.Module("people")
	if got := people.ExecutablePath(); got != path {
		t.Errorf("ExecutablePath: %s, want %s", got, path)
	}
	verify := func() error {
		opened, err := os.Open(path)
		must(t, err)
		defer opened.Close()
		return people.VerifyServer(opened)
	}
	if err := verify(); err != nil {
		t.Errorf("VerifyServer of the discovered file: %v, want nil", err)
	}
	write(t, path+".new", server)
	must(t, os.Chmod(path+".new", 0o755))
	must(t, os.Rename(path+".new", path))
	if err := verify(); err == nil {
		t.Error("VerifyServer accepted another file in place of the discovered one")
	}
}
