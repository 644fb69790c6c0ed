package catalog

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// ExecutablePath returns the path of the module's server program; "" without one.
func (m *Module) ExecutablePath() string {
	if m.Executable == nil {
		return ""
	}
	return filepath.Join(m.Folder, filepath.FromSlash(m.Executable.Path))
}

// errChanged: the opened file is not the one that was discovered.
var errChanged = errors.New("the file was changed since it was discovered")

// VerifyExecutable compares an opened file with the server program that was discovered, because modules must
// not be replaced while the platform runs.
func (m *Module) VerifyExecutable(opened *os.File) error {
	info, err := opened.Stat()
	if err != nil {
		return err
	}
	if manifest.IdentityOf(info) != m.Executable.Identity {
		return errChanged
	}
	return nil
}
