package databasetest

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/services/database/cluster"
)

// prepared is the path of an archive of a stopped server's folder, in which the template is migrated. The
// first test process makes it, in the user's cache folder; the others unpack it, which costs a tenth of
// making the data and applying all migrations. Its name is a digest of all that the data come from. The
// empty one means that there is no place for it.
type prepared string

// unusedFor is after which time an archive is removed that no test process has used.
const unusedFor = 7 * 24 * time.Hour

// preparedFor returns the archive for the server programs of this machine and the migrations of the checkout
// that the tests run in.
func preparedFor(ctx context.Context) prepared {
	caches, err := os.UserCacheDir()
	if err != nil || tools() == "" {
		return ""
	}
	name, err := digest(ctx)
	if err != nil {
		return ""
	}
	return prepared(filepath.Join(caches, "narthex-databasetest", name+".tar"))
}

// digest covers the server programs, the account that runs them, and the sources that make the data.
func digest(ctx context.Context) (string, error) {
	programs, err := cluster.Programs(ctx, tools())
	if err != nil {
		return "", err
	}
	server, err := os.Stat(filepath.Join(programs, "postgres"))
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, programs, server.Size(), server.ModTime().UnixNano(), os.Geteuid())
	checkout := filepath.Dir(tools())
	sources := []string{"migrations", "services/database/cluster", "services/database/databasetest"}
	for _, folder := range sources {
		err := filepath.WalkDir(
			filepath.Join(checkout, folder),
			func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
					return err
				}
				content, err := os.ReadFile(path)
				fmt.Fprintln(sum, strings.TrimPrefix(path, checkout), len(content))
				sum.Write(content)
				return err
			},
		)
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// unpack copies the server's folder to where, which must not exist. A failure leaves nothing there.
func (p prepared) unpack(where string) (err error) {
	file, err := os.OpenFile(string(p), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if !own(file) {
		return errors.New("the prepared data belong to somebody else")
	}
	now := time.Now()
	_ = os.Chtimes(string(p), now, now) // it was used
	defer func() {
		if err != nil {
			_ = os.RemoveAll(where)
		}
	}()
	if err := os.Mkdir(where, 0o700); err != nil {
		return err
	}
	folder, err := os.OpenRoot(where)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	for archive := tar.NewReader(file); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = unpackOne(folder, header, archive)
		}
		if err != nil {
			return err
		}
	}
}

// unpackOne makes one file or folder. Under root all belong to the server's account, and so does the folder
// that they are in.
func unpackOne(folder *os.Root, header *tar.Header, content io.Reader) error {
	name, mode := strings.TrimSuffix(header.Name, "/"), fs.FileMode(header.Mode)&fs.ModePerm
	if header.Typeflag == tar.TypeDir {
		if err := folder.Mkdir(name, mode); err != nil {
			return err
		}
	} else if err := unpackFile(folder, name, mode, content); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return errors.Join(folder.Lchown(name, header.Uid, header.Gid), folder.Lchown(".", header.Uid, header.Gid))
}

func unpackFile(folder *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// keep makes the archive of the folder of a stopped server. Several processes may do so at the same time:
// each writes a file of its own and gives it the name at last.
func (p prepared) keep(where string) (err error) {
	caches := filepath.Dir(string(p))
	if err := os.MkdirAll(caches, 0o700); err != nil {
		return err
	}
	removeUnused(caches)
	file, err := os.CreateTemp(caches, "making-") // its mode is 0600: the archive holds the superuser's password
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	archive := tar.NewWriter(file)
	err = errors.Join(archive.AddFS(os.DirFS(where)), archive.Close())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), string(p))
}

// remove removes the archive.
func (p prepared) remove() error { return os.Remove(string(p)) }

// removeUnused removes the archives of older programs and sources, and what killed processes have left.
func removeUnused(caches string) {
	entries, _ := os.ReadDir(caches)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > unusedFor {
			_ = os.Remove(filepath.Join(caches, entry.Name()))
		}
	}
}

// own reports whether the file is this process's user's.
func own(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == uint32(os.Geteuid())
}
