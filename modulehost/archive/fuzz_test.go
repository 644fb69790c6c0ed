package archive_test

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
)

// FuzzUnpack unpacks bytes as a package and as the tar stream within one. It checks that only plain files
// and folders inside the folder result, and that every error has a code.
func FuzzUnpack(f *testing.F) {
	files := small(f, "people", "1.0.0")
	whole := tarOf(f, entriesOf(files)...)
	f.Add(whole)
	f.Add(whole[:len(whole)-512])
	f.Add(compress(f, whole))
	f.Add(tarOf(f, entry{Header: tar.Header{Typeflag: tar.TypeDir, Name: "a/", Mode: 0o755}}, file("a/b", "x"),
		file("../c", "y")))
	f.Add(tarOf(f, entry{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "..", Mode: 0o755}},
		file("a/b", "x")))
	f.Add(tarOf(f, file("long/"+string(bytes.Repeat([]byte("n"), 150)), "x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("more bytes, no more cases")
		}
		for _, packed := range [][]byte{data, compress(t, data)} {
			top := t.TempDir()
			folder := filepath.Join(top, "folder")
			must(t, os.Mkdir(folder, 0o755))
			root, err := os.OpenRoot(folder)
			must(t, err)
			_, err = archive.Unpack(bytes.NewReader(packed), root)
			if coded, ok := err.(interface{ Code() string }); err != nil &&
				(!ok || coded.Code() != "PACKAGE_INVALID") {
				t.Errorf("unpacking failed with %v, want PACKAGE_INVALID", err)
			}
			must(t, root.Close())
			if entries, err := os.ReadDir(top); err != nil || len(entries) != 1 {
				t.Errorf("files outside of the folder: %v, want none; error %v", entries, err)
			}
			must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
				must(t, err)
				info, err := entry.Info()
				must(t, err)
				if mode := info.Mode(); mode != fs.ModeDir|0o755 && mode != 0o644 && mode != 0o755 {
					t.Errorf("%s has the mode %v, want 0755 for a folder, 0644 or 0755 for a file", path,
						mode)
				}
				return nil
			}))
			must(t, os.RemoveAll(top))
		}
	})
}
