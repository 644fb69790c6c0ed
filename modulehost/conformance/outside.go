package conformance

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// tree contains every file of a folder by its path: its mode, and the hash of its content.
type tree map[string]string

func readTree(folder string) (tree, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	read := make(tree)
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		read[path] = info.Mode().String()
		if !info.Mode().IsRegular() {
			return nil
		}
		file, err := root.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		hash := sha256.New()
		_, err = io.Copy(hash, file)
		read[path] += fmt.Sprintf(" %x", hash.Sum(nil))
		return err
	})
	return read, err
}

// sharedFolders are the folders in which a program without its own folder would create files.
var sharedFolders = []string{os.TempDir(), "/var/tmp", "/dev/shm"}

// checkOutside is the last check, because by then the module has done all its work.
func checkOutside(ctx context.Context, t *trial) outcome {
	t.stopLive()
	if t.options.fault == folderChanged {
		_ = os.WriteFile(filepath.Join(t.module.Folder, "left-behind"), nil, 0o600)
	}
	after, err := readTree(t.module.Folder)
	if err != nil {
		return t.notCarriedOut(err)
	}
	var changes []string
	for _, c := range catalogue(t.files).differences(catalogue(after)) {
		changes = append(changes, "the module's folder: "+c)
	}
	changes = append(changes, t.strays()...)
	if t.database != nil {
		written, err := t.database.outside(ctx, t.line())
		if err != nil {
			return t.notCarriedOut(err)
		}
		for _, c := range written {
			changes = append(changes, "the database: "+c)
		}
	}
	if len(changes) > 0 {
		return failed("%s", strings.Join(changes, "; "))
	}
	if missing := process.InspectSandbox().Missing(); len(missing) > 0 {
		return passed("nothing has changed; of the sandbox this machine lacks: %s", strings.Join(missing, ", "))
	}
	return passed("nothing has changed")
}

// strays returns files of the module's own user in folders that all users may write to. If the module has no
// user of its own, its files cannot be distinguished.
func (t *trial) strays() (found []string) {
	if t.own == nil {
		return nil
	}
	for _, folder := range sharedFolders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil {
				continue
			}
			if owner, known := info.Sys().(*syscall.Stat_t); known && owner.Uid == t.own.UID {
				found = append(found, folder+": a file appeared")
			}
		}
	}
	return found
}
