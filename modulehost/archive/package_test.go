package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
)

const platform = "0.1.2"

// fields are members of a manifest; they replace the members that every module of these tests has.
type fields map[string]any

func manifestOf(t testing.TB, id, version string, more fields) string {
	t.Helper()
	m := fields{"manifestVersion": 7, "id": id, "name": strings.ToUpper(id), "version": version,
		"compatibility": fields{"platform": "^0.1.0", "moduleSdk": "^0.1.0"},
		"entrypoints":   fields{"ui": "ui/index.js"}}
	maps.Copy(m, more)
	raw, err := json.Marshal(m)
	must(t, err)
	return string(raw)
}

// tree is the files of a folder by path.
type tree map[string]string

// small returns a module with one script.
func small(t testing.TB, id, version string) tree {
	return tree{"module.json": manifestOf(t, id, version, nil), "ui/index.js": "// " + id + " " + version}
}

// large returns a module with every kind of file, and many of them.
func large(t testing.TB, id, version string) tree {
	files := tree{
		"module.json": manifestOf(t, id, version, fields{
			"entrypoints": fields{"server": "bin/{os}-{arch}/" + id, "ui": "ui/index.js",
				"display": fields{"artifact": "display/index.js", "permission": id + ".view"},
				"link":    fields{"artifact": "link/index.js", "permission": id + ".view"}},
			"permissions": []fields{{"id": id + ".view", "baseline": "restricted"}},
			"contributions": []fields{{"id": id + ".a", "version": "1.0.0", "capability": "other.slides",
				"range": "^1.0.0", "artifact": "contributions/a.js"}},
			"database": fields{"abi": 1, "migrations": "migrations"},
		}),
		"bin/" + runtime.GOOS + "-" + runtime.GOARCH + "/" + id: catalogtest.Executable(t),
		"ui/index.js": "ui " + version, "display/index.js": "display " + version,
		"link/index.js": "link " + version, "contributions/a.js": "a " + version,
	}
	for n := range 12 {
		files[fmt.Sprintf("migrations/%04d_step.sql", n+1)] = "SELECT '" + version + "'"
	}
	return files
}

// writeTree writes the files of a tree; those below bin are executable.
func writeTree(t testing.TB, folder string, files tree) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o755
		}
		must(t, os.WriteFile(path, []byte(text), mode))
	}
	return folder
}

// readTree reads a folder as a tree. It fails on anything but plain files and folders with the modes of an
// installed module.
func readTree(t testing.TB, folder string) tree {
	t.Helper()
	files := tree{}
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		must(t, err)
		info, err := entry.Info()
		must(t, err)
		name, err := filepath.Rel(folder, path)
		must(t, err)
		want := fs.FileMode(0o644)
		if strings.HasPrefix(name, "bin/") {
			want = 0o755
		}
		if entry.IsDir() {
			want = fs.ModeDir | 0o755
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
		if !entry.IsDir() && name != archive.RecordName {
			files[name] = mustRead(t, path)
		}
		return nil
	}))
	return files
}

// pack writes a package of a module's files.
func pack(t testing.TB, files tree) string {
	t.Helper()
	var m struct{ ID string }
	must(t, json.Unmarshal([]byte(files["module.json"]), &m))
	path, err := archive.Pack(writeTree(t, filepath.Join(t.TempDir(), m.ID), files), platform, t.TempDir())
	must(t, err)
	return path
}

// entry is one entry of an archive that a test composes.
type entry struct {
	tar.Header
	content string
}

func file(name, content string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}, content}
}

// entriesOf returns the entries of the archive that Pack writes for the files: names, contents and order.
func entriesOf(files tree) (entries []entry) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, file(name, files[name]))
	}
	return entries
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		must(t, w.WriteHeader(&e.Header))
		_, err := io.WriteString(w, e.content)
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

func compress(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(data)
	must(t, err)
	must(t, w.Close())
	return out.Bytes()
}

// writePackage writes bytes as a package with a matching checksum file.
func writePackage(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people-1.0.0.tar.gz")
	must(t, os.WriteFile(path, data, 0o644))
	sum := sha256.Sum256(data)
	must(t, os.WriteFile(path+".sha256", []byte(hex.EncodeToString(sum[:])+"  "+filepath.Base(path)+"\n"),
		0o644))
	return path
}

// assertInstalled checks that the modules directory holds exactly these modules, complete, and that
// discovery accepts them.
func assertInstalled(t testing.TB, dir string, modules ...tree) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == archive.VersionsFolder })
	if len(entries) != len(modules) {
		t.Errorf("the modules directory has %v, want %d modules", entries, len(modules))
	}
	for _, want := range modules {
		var m struct{ ID string }
		must(t, json.Unmarshal([]byte(want["module.json"]), &m))
		if got := readTree(t, filepath.Join(dir, m.ID)); !maps.Equal(got, want) {
			t.Errorf("%s: got %d files, want %d, or other contents", m.ID, len(got), len(want))
		}
	}
	if found, err := catalog.Discover(dir, true, platform); err != nil || len(found.Modules) != len(modules) {
		t.Errorf("Discover after the installs: error %v, want %d modules; found %+v", err, len(modules),
			found)
	}
}

func mustRead(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
