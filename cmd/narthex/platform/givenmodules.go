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

// GivenModules are the installed modules with those of another folder in their place, or beside them.
type GivenModules struct {
	// Catalog is what a start would find; nil: it would not start, for what findings say.
	Catalog  *catalog.Catalog
	findings []RehearsalFinding

	modules   environment.Modules
	installed *catalog.Catalog           // nil: with what is installed now this program would not start
	before    map[string]*catalog.Module // installed, by id, where this program understands it
	changed   map[string]bool            // by id: those that were given
}

// GiveModules reads what is installed, and the modules of dir: folders, and packages with their checksums,
// which it treats as modules:install would. dir may be "". What is wrong with any of them is a finding.
// remove ends the use of it. Errors: MODULES_DIRECTORY_INVALID, MODULES_DIRECTORY_UNREADABLE,
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
		if remove, err = g.lay(settings, folders, dir); err != nil {
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

// refuse notes what is wrong with the modules, or with what has this name.
func (g *GivenModules) refuse(name string, err error) {
	for _, line := range failureLines(err) {
		code, text, _ := strings.Cut(line, ": ")
		if name != "" {
			text = name + ": " + text
		}
		g.findings = append(g.findings, RehearsalFinding{Failure: true, Code: code, Text: text})
	}
}

// foldersOf are the entries of a modules directory in which a module may be.
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

// lay makes a modules directory with links to the folders that are installed, and with the given ones in
// their place.
func (g *GivenModules) lay(
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
	laid := filepath.Join(folder, "modules")
	// modules run as users of their own
	err = errors.Join(os.Mkdir(laid, 0o755), os.Chmod(folder, 0o755), os.Chmod(laid, 0o755))
	for _, from := range append(installed, given...) {
		to := filepath.Join(laid, filepath.Base(from))
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
		unpacked, err := archive.Install(laid, from, abi.PlatformVersion, checks)
		g.changed[unpacked.ID] = true
		g.refuse(filepath.Base(from), err)
	}
	g.modules = environment.Modules{Dir: laid, Explicit: true}
	return remove, nil
}
