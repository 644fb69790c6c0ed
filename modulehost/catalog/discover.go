package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/Masterminds/semver/v3"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Discover reads every module of dir once. It starts, loads and writes nothing. explicit means that the
// deployment named the directory, which then must be absolute and exist; otherwise a missing directory means
// no modules. Names that begin with a dot, plain files, and folders that cannot be meant as modules are
// ignored. platformVersion is the release of the platform and of its module SDK.
//
// The error is Findings with all findings, or MODULES_DIRECTORY_INVALID or MODULES_DIRECTORY_UNREADABLE,
// whose text contains no path. With an error the catalog is nil: it does not even contain Core's permissions.
func Discover(dir string, explicit bool, platformVersion string) (*Catalog, error) {
	platform, err := semver.StrictNewVersion(platformVersion)
	if err != nil {
		return nil, fmt.Errorf("the platform's own version: %w", err)
	}
	folders, err := Folders(dir, explicit)
	if err != nil {
		return nil, err
	}
	return discover(folders, platform)
}

// CheckInstall is Discover of an explicit dir with one more module: the one in the folder staged, which
// replaces an installed one with the same folder name. It returns the error that the next start would return,
// or nil.
func CheckInstall(dir, staged, platformVersion string) error {
	platform, err := semver.StrictNewVersion(platformVersion)
	if err != nil {
		return fmt.Errorf("the platform's own version: %w", err)
	}
	folders, err := Folders(dir, true)
	if err != nil {
		return err
	}
	folders = slices.DeleteFunc(folders, func(
		folder string) bool {
		return filepath.Base(folder) == filepath.Base(staged)
	})
	_, err = discover(append(folders, staged), platform)
	return err
}

func discover(folders []string, platform *semver.Version) (*Catalog, error) {
	var findings Findings
	installed := make(inventory, len(folders))
	broken := make(map[string]bool)
	modules := make([]*Module, 0, len(folders))
	for _, folder := range folders {
		m, found := read(folder, platform)
		findings = append(findings, found...)
		if m != nil && m.Executable != nil && forbidsPrograms(m.ExecutablePath()) {
			findings = append(findings, manifest.Finding{Module: m.Manifest.ID, Pointer: "/entrypoints/server",
				Code: ErrVolumeNoexec, Message: "the module's program is on a volume that is mounted with noexec, from " +
					"which no program can be started; mount it without noexec, or move the modules to another volume."})
		}
		if m == nil {
			broken[filepath.Base(folder)] = true
			continue
		}
		installed[m.Manifest.ID] = m
		modules = append(modules, m)
	}
	findings = append(findings, resolve(modules, installed, broken)...)
	findings = append(findings, cycles(assignLevels(modules), installed)...)
	if len(findings) > 0 {
		return nil, findings.inOrder()
	}
	return compose(modules), nil
}

// Folders returns the folders of a modules directory that may hold a module: absolute paths, in order. dir
// and explicit, and the errors, are those of Discover. A symbolic link in the modules directory is followed,
// because the deployment put it there. Within a package, links may not lead out of the package.
func Folders(dir string, explicit bool) ([]string, error) {
	if strings.TrimSpace(dir) == "" || explicit && !filepath.IsAbs(dir) {
		return nil, ErrDirectoryInvalid
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, ErrDirectoryUnreadable
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !explicit:
		return nil, nil
	case errors.Is(err, syscall.ENOTDIR):
		return nil, ErrDirectoryInvalid
	case err != nil:
		return nil, ErrDirectoryUnreadable
	}
	var folders []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if !strings.HasPrefix(entry.Name(), ".") && isFolder(path, entry) && mayBeModule(path) {
			folders = append(folders, path)
		}
	}
	return folders, nil
}

// mayBeModule reports whether a folder can be meant as a module: it has the name of one, or a manifest. A
// volume's lost+found has neither.
func mayBeModule(path string) bool {
	if manifest.ValidID(filepath.Base(path)) {
		return true
	}
	_, err := os.Lstat(filepath.Join(path, manifest.FileName))
	return err == nil
}

func isFolder(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(path)
	return err != nil || info.IsDir() // a broken link is reported, not ignored
}
