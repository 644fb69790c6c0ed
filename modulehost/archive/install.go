package archive

import (
	"errors"
	"path"
	"path/filepath"

	"github.com/Masterminds/semver/v3"
	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Installed is the result of Install.
type Installed struct {
	ID      string
	Version string
	// Replaced is the version that was installed before. It equals Version when the same one was installed
	// again, which repairs it. It is "" when there was none, or one whose manifest names no version.
	Replaced string
}

// Checks are the installation's checks, besides those that apply to every package.
type Checks struct {
	// Signers are the allowed signers, of whom one must have signed the package; nil: no signature is needed.
	Signers *Signers
	// Rebuilt allows other bytes under a version that is or was installed.
	Rebuilt bool
	// Accept is called last, with the folder of the module as it would be installed; its error refuses the
	// package. It may be nil.
	Accept func(staged string) error
}

// Install puts a package into the modules directory, in place of an older version or of the same one. It
// needs no network. The package must match its checksum file and keep the limits, and the module must pass
// discovery's checks of a single module. platformVersion is the release of the platform and of its module
// SDK. A relative modules directory is relative to the working directory.
//
// The directory has the old module until the new one is complete and on the disk, and then, in one step, the
// new one. Several installs and removals, also of several processes, run one after the other. When the
// module is a symbolic link, the link is replaced and its target stays as it is.
//
// Errors: the codes of this package except MODULE_NOT_INSTALLED, MODULES_DIRECTORY_INVALID,
// MODULES_DIRECTORY_UNREADABLE, catalog.Findings, or Accept's.
func Install(modulesDir, packagePath, platformVersion string, checks Checks) (Installed, error) {
	source, err := openSource(packagePath, checks.Signers)
	if err != nil {
		return Installed{}, err
	}
	defer source.close()
	d, err := openDirectory(modulesDir)
	if err != nil {
		return Installed{}, err
	}
	defer d.close()
	staging := hiddenName(installingPrefix)
	if err := makeFolder(d.root, staging, 0o700); err != nil {
		return Installed{}, err
	}
	installed, err := d.install(staging, source, platformVersion, checks)
	if err == nil {
		// Without this sync it is unknown which of the two a power cut leaves in place, so both are kept when it
		// fails.
		if err := d.sync(); err != nil {
			return Installed{}, err
		}
	}
	// After a refusal staging contains the new module, else the old one. The next run deletes what cannot be
	// deleted now.
	_ = d.root.RemoveAll(staging)
	return installed, err
}

func (d *directory) install(
	staging string, source *source, platformVersion string, checks Checks,
) (Installed, error) {
	unpacked := path.Join(staging, "package")
	if err := makeFolder(d.root, unpacked, folderMode); err != nil {
		return Installed{}, err
	}
	folder, err := d.root.OpenRoot(unpacked)
	if err != nil {
		return Installed{}, unwritable(err)
	}
	defer folder.Close()
	found, err := source.unpack(folder)
	if err != nil {
		return Installed{}, err
	}
	named := unpacked
	if id := idIn(filepath.Join(d.path, unpacked)); id != "" {
		named = path.Join(staging, id) // discovery requires that the folder is named after the id
		if err := d.root.Rename(unpacked, named); err != nil {
			return Installed{}, unwritable(err)
		}
	}
	module, err := catalog.Inspect(filepath.Join(d.path, named), platformVersion)
	if err != nil {
		return Installed{}, err
	}
	installed := Installed{ID: module.Manifest.ID, Version: module.Manifest.Version.String()}
	if err := writeRecord(folder, installed.ID, installed.Version, source.want); err != nil {
		return Installed{}, err
	}
	if err := found.sync(folder); err != nil { // late, because a refused package need not be written to the disk
		return Installed{}, err
	}
	present, err := d.has(installed.ID)
	if err != nil {
		return Installed{}, err
	}
	if before := versionIn(filepath.Join(d.path, installed.ID)); present && before != nil {
		if module.Manifest.Version.LessThan(before) {
			return Installed{}, ErrDowngrade
		}
		installed.Replaced = before.String()
	}
	if !checks.Rebuilt {
		if err := d.checkVersion(installed.ID, installed.Version, source.want); err != nil {
			return Installed{}, err
		}
	}
	if checks.Accept != nil {
		if err := checks.Accept(filepath.Join(d.path, named)); err != nil {
			return Installed{}, err
		}
	}
	return installed, d.activate(named, installed.ID, present)
}

// activate replaces the installed module by the new one in one step.
func (d *directory) activate(staged, id string, replaces bool) error {
	if !replaces {
		if err := d.root.Rename(staged, id); err != nil {
			return unwritable(err)
		}
		return nil
	}
	if err := d.leave(id); err != nil {
		return err
	}
	err := d.exchange(staged, id)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENOSYS) {
		return refusal{code: ErrUnwritable, reason: "This file system cannot replace a folder in one step; " +
			"remove the module with modules:remove, then install it.", cause: err}
	}
	if err != nil {
		return unwritable(err)
	}
	return nil
}

// idIn returns the id in a module's manifest, even if the manifest has faults; "" if it has none.
func idIn(folder string) string {
	m, findings := manifest.Parse(manifestIn(folder))
	if m != nil {
		return m.ID
	}
	return findings[0].Module
}

// versionIn returns the version in an installed module's manifest, even if this platform does not understand
// the manifest; nil if it has none.
func versionIn(folder string) *semver.Version {
	var m struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(manifestIn(folder), &m); err != nil {
		return nil
	}
	version, err := semver.StrictNewVersion(m.Version)
	if err != nil {
		return nil
	}
	return version
}

// manifestIn returns the manifest's bytes; nil when they cannot be read.
func manifestIn(folder string) []byte {
	pkg, err := manifest.OpenPackage(folder)
	if err != nil {
		return nil
	}
	defer pkg.Close()
	file, err := pkg.Read(manifest.FileName, manifest.MaxBytes)
	if err != nil {
		return nil
	}
	return file.Bytes
}
