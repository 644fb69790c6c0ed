package catalog

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// HasServer reports whether the module has a process.
func (m *Module) HasServer() bool { return m.server() != nil }

// server returns what the module's process runs; nil without a server.
func (m *Module) server() *manifest.Artifact {
	if m.Executable != nil {
		return m.Executable
	}
	return m.ServerScript
}

// ServerPath returns the path of what the module's process runs in the package; "" without a server.
func (m *Module) ServerPath() string {
	if m.server() == nil {
		return ""
	}
	return m.server().Path
}

// ExecutablePath returns the path of the module's server program; "" without one.
func (m *Module) ExecutablePath() string { return m.pathOf(m.Executable) }

// ServerScriptPath returns the path of the script that the platform runs as the module's server; "" without
// one.
func (m *Module) ServerScriptPath() string { return m.pathOf(m.ServerScript) }

func (m *Module) pathOf(a *manifest.Artifact) string {
	if a == nil {
		return ""
	}
	return filepath.Join(m.Folder, filepath.FromSlash(a.Path))
}

// errChanged: the opened file is not the one that was discovered.
var errChanged = errors.New("the file was changed since it was discovered")

// VerifyServer compares an opened file with the server program or script that was discovered, because modules
// must not be replaced while the platform runs.
func (m *Module) VerifyServer(opened *os.File) error {
	info, err := opened.Stat()
	if err != nil {
		return err
	}
	if manifest.IdentityOf(info) != m.server().Identity {
		return errChanged
	}
	return nil
}
