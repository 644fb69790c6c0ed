package archive

import (
	"archive/tar"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// writeTar writes the files in the order of their names. Owner, group and time are always the same.
func writeTar(w io.Writer, pkg *manifest.Package, files map[string]fs.FileMode) error {
	counted := &countingWriter{to: w}
	archive := tar.NewWriter(counted)
	names := contents{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, err := names.add(name, false); err != nil {
			return err
		}
		if err := writeFile(archive, pkg, name, files[name], MaxUnpackedBytes-counted.bytes); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return errNotPacked
	}
	if counted.bytes > MaxUnpackedBytes {
		return errTooLarge
	}
	return nil
}

func writeFile(archive *tar.Writer, pkg *manifest.Package, name string, mode fs.FileMode, room int64) error {
	file, identity, err := pkg.Open(name)
	if err != nil {
		return errNotPacked // it existed when the files were listed
	}
	defer file.Close()
	if identity.Size > room {
		return errTooLarge
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: identity.Size, Mode: int64(mode),
		ModTime: time.Unix(0, 0)}
	if err := archive.WriteHeader(header); err != nil {
		return errNotPacked
	}
	// Copy fails if the file has grown; the next header fails if it has shrunk.
	if _, err := io.Copy(archive, file); err != nil {
		return errNotPacked
	}
	return nil
}

// countingWriter counts the bytes that it writes.
type countingWriter struct {
	to    io.Writer
	bytes int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}
