package archive

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// errNotPacked: the output folder cannot be written, or the module's files changed while they were packed.
var errNotPacked = errors.New(
	"the package could not be written; check the output folder's permissions and the room on its disk, " +
		"and that nothing changes the module's files meanwhile")

// Pack writes <id>-<version>.tar.gz and its checksum file into the folder out, which it creates if needed,
// and returns the package's path. It replaces files of the same names.
//
// The package holds module.json, the files that it names, the migrations, and the server program for this
// machine and for other processors where the folder has them. Other files are left out. The same files give
// the same bytes, whatever their times, owners and modes. platformVersion is the release of the platform and
// of its module SDK.
//
// Errors: catalog.Findings, PACKAGE_INVALID when a limit is exceeded, or one without a code when the package
// cannot be written.
func Pack(folder, platformVersion, out string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", errNotPacked
	}
	module, err := catalog.Inspect(folder, platformVersion)
	if err != nil {
		return "", err
	}
	pkg, err := manifest.OpenPackage(module.Folder)
	if err != nil {
		return "", errNotPacked
	}
	defer pkg.Close()
	files, err := packagedFiles(pkg, module)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, folderMode); err != nil {
		return "", errNotPacked
	}
	name := packageName(module.Manifest.ID, module.Manifest.Version.String())
	path := filepath.Join(out, name)
	sum, err := write(path, func(w io.Writer) error { return writeTar(w, pkg, files) })
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path+checksumSuffix, []byte(sum.line(name)), fileMode); err != nil {
		return "", errNotPacked
	}
	return path, nil
}

// write fills a temporary file and renames it at the end, so that no incomplete package has the final name.
func write(path string, fill func(io.Writer) error) (sum checksum, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".packing-*")
	if err != nil {
		return sum, errNotPacked
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	hash := sha256.New()
	compressed := gzip.NewWriter(io.MultiWriter(file, hash)) // by default its header has no time and no name
	if err := fill(compressed); err != nil {
		return sum, err
	}
	if err := compressed.Close(); err != nil {
		return sum, errNotPacked
	}
	info, err := file.Stat()
	if err != nil {
		return sum, errNotPacked
	}
	if info.Size() > MaxPackedBytes {
		return sum, errLargeFile
	}
	if file.Chmod(fileMode) != nil || file.Close() != nil || os.Rename(file.Name(), path) != nil {
		return sum, errNotPacked
	}
	return checksum(hash.Sum(nil)), nil
}
