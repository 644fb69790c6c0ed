package archive

import "errors"

// Unpack unpacks a package as Install does before it checks the module.
var Unpack = unpack

// The causes of PACKAGE_INVALID.
var (
	ErrName      = errName
	ErrReserved  = errReserved
	ErrLongName  = errLongName
	ErrTwice     = errTwice
	ErrKind      = errKind
	ErrTooMany   = errTooMany
	ErrTooLarge  = errTooLarge
	ErrLargeFile = errLargeFile
)

// Contents are the names that Unpack has found.
type Contents = contents

// Add adds a name to them.
func (c Contents) Add(name string, folder bool) ([]string, error) { return c.add(name, folder) }

// Where a module's versions are remembered.
const (
	RecordName     = recordName
	VersionsFolder = versionsFolder
)

// IsVersionTaken reports whether a package of unknown bytes is refused under this version.
func IsVersionTaken(dir, id, version string) (bool, error) {
	d, err := openDirectory(dir)
	if err != nil {
		return false, err
	}
	defer d.close()
	err = d.checkVersion(id, version, checksum{})
	return errors.Is(err, ErrVersionTaken), nil
}
