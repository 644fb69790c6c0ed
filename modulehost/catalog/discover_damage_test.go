package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
)

// written is one case of the manifest package's testdata.
type written struct {
	manifest string
	valid    bool
}

// testdata returns every case by name.
func testdata(t testing.TB) map[string]written {
	t.Helper()
	files, err := filepath.Glob("../manifest/testdata/*.case")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d cases in manifest/testdata, want at least 20; error %v", len(files), err)
	}
	cases := make(map[string]written)
	for _, file := range files {
		text, findings, _ := strings.Cut(string(mustRead(t, file)), "\n----- findings\n")
		cases[strings.TrimSuffix(filepath.Base(file), ".case")] = written{text, findings == "valid\n"}
	}
	return cases
}

var idInText = regexp.MustCompile(`"id": "([a-z-]{1,48})"`)

// writeModule makes a modules directory with one module of this manifest, and the files that the valid
// manifests name.
func writeModule(t testing.TB, manifest string) (dir, path string) {
	t.Helper()
	id := "notes"
	if match := idInText.FindStringSubmatch(manifest); match != nil {
		id = match[1]
	}
	dir = t.TempDir()
	folder := filepath.Join(dir, id)
	for _, script := range []string{"ui/index.js", "display/index.js", "contributions/slide.js",
		"server/index.js"} {
		write(t, filepath.Join(folder, script), "export {}")
	}
	write(t, filepath.Join(folder, "migrations/0001_first.sql"), "SELECT 1")
	for _, server := range []string{"bin/linux-amd64/" + id, "bin/linux-arm64/" + id, "bin/" + id} {
		write(t, filepath.Join(folder, server), catalogtest.Executable(t))
	}
	if id != "announcements" {
		install(t, dir, "announcements", nil) // the valid cases depend on it
	}
	return dir, filepath.Join(folder, "module.json")
}

var lineOfFinding = regexp.MustCompile(
	`^[A-Z_]+: module( [A-Za-z0-9_.-]+)?( at (/[A-Za-z0-9_.-]+)+)?: [ -~]+$`)

// assertDiscovers checks that discovery returns either a catalog or findings of one printable line each, and
// reports which.
func assertDiscovers(t testing.TB, dir string) bool {
	t.Helper()
	found, err := catalog.Discover(dir, true, platform)
	if (found == nil) == (err == nil) {
		t.Fatalf("Discover: catalog %v and error %v, want exactly one of them", found, err)
	}
	if err == nil {
		return true
	}
	var findings catalog.Findings
	if !errors.As(err, &findings) || len(findings) == 0 {
		t.Fatalf("Discover: error %v, want at least one finding", err)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !lineOfFinding.MatchString(line) || strings.Contains(line, dir) {
			t.Fatalf("a finding forges output: %q", line)
		}
	}
	return false
}

// TestDamagedManifests damages every manifest of the cases in a real folder: cut short, with one bit
// flipped, with a piece repeated. Discovery refuses or accepts each without a crash.
func TestDamagedManifests(t *testing.T) {
	t.Parallel()
	const pieces = 40
	for name, c := range testdata(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, path := writeModule(t, c.manifest)
			try := func(damaged []byte) bool {
				rewrite(t, path, damaged)
				return assertDiscovers(t, dir)
			}
			if try([]byte(c.manifest)) != c.valid {
				t.Errorf("discovery of the undamaged manifest differs from Parse, which accepts it: %v", c.valid)
			}
			whole := []byte(strings.TrimRight(c.manifest, " \n"))
			step := max(len(whole)/pieces, 1)
			for at := 0; at < len(whole); at += step {
				if try(whole[:at]) {
					t.Errorf("accepted when cut after %d bytes", at)
				}
				flipped := slices.Clone(whole)
				flipped[at] ^= 1 << (at % 8)
				try(flipped)
				end := min(at+step, len(whole))
				try(slices.Concat(whole[:end], whole[at:]))
			}
			if try(slices.Concat(whole, whole)) {
				t.Error("accepted twice over")
			}
		})
	}
}

// rewrite overwrites a file, or creates it. It does not truncate first, because some file systems then wait
// for the disk.
func rewrite(t testing.TB, path string, data []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o755)
	must(t, err)
	defer file.Close()
	_, err = file.Write(data)
	must(t, err)
	must(t, file.Truncate(int64(len(data))))
}
