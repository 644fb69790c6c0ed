package archive

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A version is bound to the bytes that it was first installed from. Two places remember them:
//
//   - recordName inside the installed module, for its own version. It is written before the module is
//     activated and moves with its folder, so there is one exactly for what is installed.
//   - versionsFolder, for versions that were installed and are not any more. A version is written there
//     before the next one replaces it or it is removed. It says what is true already, so a process that is
//     killed in between leaves nothing false.
//
// Both consist of lines as sha256sum writes them.
const (
	recordName     = ".package.sha256"
	versionsFolder = ".versions"
	unfinished     = ".new" // the ending of a file that is renamed when it is complete; no id contains a dot
)

// versions are the checksums of a module's packages, by file name.
type versions map[string]checksum

// packageName returns the name that Pack gives a package.
func packageName(id, version string) string { return id + "-" + version + ".tar.gz" }

// parseVersions ignores lines that have another form.
func parseVersions(text []byte) versions {
	known := versions{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if raw, err := hex.DecodeString(sum); err == nil && len(raw) == len(checksum{}) && name != "" {
			known[name] = checksum(raw)
		}
	}
	return known
}

// gone returns the versions of a module that were installed earlier.
func (d *directory) gone(id string) (versions, error) {
	text, err := d.root.ReadFile(path.Join(versionsFolder, id))
	if errors.Is(err, fs.ErrNotExist) {
		return versions{}, nil
	}
	if err != nil {
		return nil, unwritable(err)
	}
	return parseVersions(text), nil
}

// installedVersion returns the record of the installed module. It has no entry if the module came without
// this package, or if its manifest was changed to another version since.
func (d *directory) installedVersion(id string) versions {
	folder := filepath.Join(d.path, id) // by its path, because the module may be a link to a folder elsewhere
	version := versionIn(folder)
	if version == nil {
		return nil
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	text, err := root.ReadFile(recordName)
	if err != nil {
		return nil
	}
	name := packageName(id, version.String())
	sum, found := parseVersions(text)[name]
	if !found {
		return nil
	}
	return versions{name: sum}
}

// checkVersion refuses a package whose version was installed from other bytes.
func (d *directory) checkVersion(id, version string, sum checksum) error {
	known, err := d.gone(id)
	if err != nil {
		return err
	}
	name := packageName(id, version)
	installed, found := d.installedVersion(id)[name]
	if !found {
		installed, found = known[name]
	}
	if found && installed != sum {
		return ErrVersionTaken
	}
	return nil
}

// leave remembers the installed version of a module, which is about to be replaced or removed.
func (d *directory) leave(id string) error {
	known, err := d.gone(id)
	if err != nil {
		return err
	}
	changed := false
	for name, sum := range d.installedVersion(id) {
		if earlier, found := known[name]; !found || earlier != sum {
			known[name], changed = sum, true
		}
	}
	if !changed {
		return nil
	}
	return d.writeVersions(id, known)
}

func (d *directory) writeVersions(id string, known versions) error {
	if err := makeFolder(d.root, versionsFolder, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(known)) {
		text.WriteString(known[name].line(name))
	}
	final := path.Join(versionsFolder, id)
	if err := writeDurably(d.root, final+unfinished, text.Bytes()); err != nil {
		return err
	}
	if err := d.root.Rename(final+unfinished, final); err != nil {
		return unwritable(err)
	}
	return sync(d.root, versionsFolder)
}

// writeRecord puts the record of a package into its unpacked folder.
func writeRecord(folder *os.Root, id, version string, sum checksum) error {
	return writeDurably(folder, recordName, []byte(sum.line(packageName(id, version))))
}

// writeDurably writes a file and waits until it is on the disk.
func writeDurably(root *os.Root, name string, text []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return unwritable(err)
	}
	defer file.Close()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(fileMode), file.Sync(), file.Close()); err != nil {
		return unwritable(err)
	}
	return nil
}

// CopyVersions copies what a modules directory remembers of versions that were installed earlier into an
// empty one, for trying an installation there.
func CopyVersions(from, to string) error {
	err := os.CopyFS(filepath.Join(to, versionsFolder), os.DirFS(filepath.Join(from, versionsFolder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(err)
	}
	return nil
}
