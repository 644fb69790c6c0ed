package platform

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/environment"
)

// GivenModules are the installed modules, some of them replaced by, or extended with, the modules of another
// folder.
type GivenModules struct {
	// Catalog is what a start would find. It is nil if there would be no start; findings has the reasons.
	Catalog  *catalog.Catalog
	findings []RehearsalFinding

	modules   environment.Modules
	installed *catalog.Catalog           // nil: with the modules installed now this program would not start
	before    map[string]*catalog.Module // the installed ones that this program can read, by id
	changed   map[string]bool            // by id: the modules from the other folder
}

// GiveModules reads the installed modules and those of dir: folders, and packages with their checksums, which
// it treats as modules:install would. dir may be "". Whatever is wrong with any of them becomes a finding.
// remove deletes the temporary files. Errors: MODULES_DIRECTORY_INVALID, MODULES_DIRECTORY_UNREADABLE,
// MODULES_DIRECTORY_UNWRITABLE.
func GiveModules(
	settings environment.Settings, dir string,
) (g *GivenModules, remove func() error, err error) {
	g = &GivenModules{modules: settings.Modules, before: make(map[string]*catalog.Module),
		changed: make(map[string]bool)}
	nothing := func() error { return nil }
	g.installed, err = InstalledModules(settings)
	if findings := catalog.Findings(nil); err != nil && !errors.As(err, &findings) {
		return nil, nil, err
	}
	folders, err := foldersOf(settings.Modules.Dir, settings.Modules.Explicit)
	if err != nil {
		return nil, nil, err
	}
	for _, folder := range folders {
		if m, err := catalog.Inspect(folder, abi.PlatformVersion); err == nil {
			g.before[m.Manifest.ID] = m
		}
	}
	if dir != "" {
		if remove, err = g.linkModules(settings, folders, dir); err != nil {
			return nil, nil, err
		}
	} else {
		remove = nothing
	}
	g.Catalog, err = InstalledModules(environment.Settings{Modules: g.modules})
	g.refuse("", err)
	if len(g.findings) > 0 {
		g.Catalog = nil
	}
	return g, remove, nil
}

// refuse adds an error as findings, prefixed with the name if there is one.
func (g *GivenModules) refuse(name string, err error) {
	for _, line := range failureLines(err) {
		code, text, _ := strings.Cut(line, ": ")
		if name != "" {
			text = name + ": " + text
		}
		g.findings = append(g.findings, RehearsalFinding{Failure: true, Code: code, Text: text})
	}
}

// foldersOf returns the folders of a modules directory that may hold a module.
func foldersOf(dir string, explicit bool) (folders []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && !explicit {
		return nil, nil
	}
	if err != nil {
		return nil, catalog.ErrDirectoryUnreadable
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			folders = append(folders, path)
		}
	}
	return folders, nil
}

// linkModules creates a modules directory with links to the installed folders. The given modules replace
// those of the same name.
func (g *GivenModules) linkModules(
	settings environment.Settings, installed []string, dir string,
) (remove func() error, err error) {
	given, err := foldersOf(dir, true)
	if err != nil {
		return nil, err
	}
	packages, _ := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	var checks archive.Checks
	if settings.Modules.Signers != "" {
		if checks.Signers, err = archive.ReadSigners(settings.Modules.Signers); err != nil {
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
		if absolute, e := filepath.Abs(from); err == nil && e == nil {
			_ = os.Remove(to)
			err = os.Symlink(absolute, to)
		}
	}
	if err != nil {
		return nil, errors.Join(archive.ErrUnwritable, remove())
	}
	for _, from := range given {
		id := filepath.Base(from)
		g.changed[id] = true
		m, err := catalog.Inspect(from, abi.PlatformVersion)
		before := g.before[id]
		if err == nil && before != nil && m.Manifest.Version.LessThan(before.Manifest.Version) {
			g.refuse(id, archive.ErrDowngrade)
		}
	}
	for _, from := range packages {
		unpacked, err := archive.Install(linked, from, abi.PlatformVersion, checks)
		g.changed[unpacked.ID] = true
		g.refuse(filepath.Base(from), err)
	}
	g.modules = environment.Modules{Dir: linked, Explicit: true}
	return remove, nil
}
