package archive

import "github.com/narthex-platform/narthex/modulehost/manifest"

// Remove removes a module from the modules directory in one step, then deletes its files. The module's data,
// configuration, grants and migration history remain, and so does what its versions were installed from. When
// the module is a symbolic link, the link is removed and its target remains.
//
// Errors: MODULE_NOT_INSTALLED, MODULES_DIRECTORY_UNWRITABLE, INSTALL_UNDER_WAY, MODULES_DIRECTORY_INVALID,
// MODULES_DIRECTORY_UNREADABLE.
func Remove(modulesDir, moduleID string) error {
	d, err := openDirectory(modulesDir)
	if err != nil {
		return err
	}
	defer d.close()
	if !manifest.ValidID(moduleID) { // a path is refused here too
		return ErrNotInstalled
	}
	present, err := d.has(moduleID)
	if err != nil {
		return err
	}
	if !present {
		return ErrNotInstalled
	}
	if err := d.leave(moduleID); err != nil {
		return err
	}
	away := hiddenName(removingPrefix)
	if err := d.root.Rename(moduleID, away); err != nil {
		return unwritable(err)
	}
	if err := d.sync(); err != nil {
		return err
	}
	_ = d.root.RemoveAll(away) // the next run deletes what cannot be deleted now
	return nil
}
