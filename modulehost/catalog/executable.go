package catalog

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// ExecutablePath is where the module's server program lies; "" without one.
func (m *Module) ExecutablePath() string {
	if m.Executable == nil {
		return ""
	}
	return filepath.Join(m.Folder, filepath.FromSlash(m.Executable.Path))
}

// errChanged: an artifact is not the file that was discovered.
var errChanged = errors.New("the file was changed since it was discovered")

// VerifyExecutable compares an opened file with the server program that was discovered: modules are not
// exchanged under a running platform (contract.md §7).
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
