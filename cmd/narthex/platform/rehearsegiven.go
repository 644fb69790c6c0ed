package platform

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/environment"
)

// giveModules reads the installed modules and those of dir, which replace or extend them: folders, and
// packages with their checksums, which it treats as modules:install would. dir may be "". Whatever is wrong
// with any of them becomes a finding. remove deletes the temporary files. Errors: MODULES_DIRECTORY_INVALID,
// MODULES_DIRECTORY_UNREADABLE, MODULES_DIRECTORY_UNWRITABLE.
func (r *rehearsing) giveModules(dir string) (remove func() error, err error) {
	r.before, r.changed = make(map[string]*catalog.Module), make(map[string]bool)
	remove = func() error { return nil }
	r.installed, err = InstalledModules(r.settings)
	if findings := catalog.Findings(nil); err != nil && !errors.As(err, &findings) {
		return nil, err
	}
	folders, err := catalog.Folders(r.settings.Modules.Dir, r.settings.Modules.Explicit)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if m, err := catalog.Inspect(folder, abi.PlatformVersion); err == nil {
			r.before[m.Manifest.ID] = m
		}
	}
	if dir != "" {
		if remove, err = r.linkModules(folders, dir); err != nil {
			return nil, err
		}
	}
	r.modules, err = InstalledModules(r.settings)
	r.failWith("", err)
	return remove, nil
}

// linkModules creates a modules directory with links to the installed folders. The given modules replace
// those of the same name.
func (r *rehearsing) linkModules(installed []string, dir string) (remove func() error, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, catalog.ErrDirectoryUnreadable
	}
	given, err := catalog.Folders(dir, true)
	if err != nil {
		return nil, err
	}
	var checks archive.Checks
	if r.settings.Modules.Signers != "" {
		if checks.Signers, err = archive.ReadSigners(r.settings.Modules.Signers); err != nil {
			return nil, err
		}
	}
	folder, remove, err := temporaryFolder()
	if err != nil {
		return nil, archive.ErrUnwritable
	}
	linked := filepath.Join(folder, "modules")
	// readable by all, because modules run as users of their own
	err = errors.Join(os.Mkdir(linked, 0o755), os.Chmod(folder, 0o755), os.Chmod(linked, 0o755))
	for _, from := range append(installed, given...) {
		to := filepath.Join(linked, filepath.Base(from))
		_ = os.Remove(to)
		err = errors.Join(err, os.Symlink(from, to))
	}
	if err != nil {
		return nil, errors.Join(archive.ErrUnwritable, remove())
	}
	for _, from := range given {
		id := filepath.Base(from)
		r.changed[id] = true
		m, err := catalog.Inspect(from, abi.PlatformVersion)
		before := r.before[id]
		if err == nil && before != nil && m.Manifest.Version.LessThan(before.Manifest.Version) {
			r.failWith(id, archive.ErrDowngrade)
		}
	}
	if err := archive.CopyVersions(r.settings.Modules.Dir, linked); err != nil {
		return nil, errors.Join(err, remove())
	}
	packages, _ := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	for _, from := range packages {
		unpacked, err := archive.Install(linked, from, abi.PlatformVersion, checks)
		r.changed[unpacked.ID] = true
		r.failWith(filepath.Base(from), err)
	}
	r.settings.Modules = environment.Modules{Dir: linked, Explicit: true}
	return remove, nil
}
