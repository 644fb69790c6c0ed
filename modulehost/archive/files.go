package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// processors are those for which a package may contain a server program, beside the one that it is packed
// on. Modules run on Linux only.
var processors = []string{"amd64", "arm64", "loong64", "ppc64le", "riscv64", "s390x"}

// packagedFiles returns the files of a module that belong into its package, with their modes.
func packagedFiles(pkg *manifest.Package, module *catalog.Module) (map[string]fs.FileMode, error) {
	files := map[string]fs.FileMode{manifest.FileName: fileMode}
	for _, script := range module.Scripts() {
		files[script.Path] = fileMode
	}
	for _, migration := range module.Migrations {
		name := fmt.Sprintf("%04d_%s.sql", migration.Version, migration.Name)
		files[path.Join(module.Manifest.Database.Migrations, name)] = fileMode
	}
	if module.ServerScript != nil {
		files[module.ServerScript.Path] = fileMode
	}
	if module.Executable == nil {
		return files, nil
	}
	files[module.Executable.Path] = executableMode
	others, err := otherServers(pkg)
	if err != nil {
		return nil, catalog.Findings{{Module: module.Manifest.ID, Pointer: "/entrypoints/server",
			Code:    manifest.ErrArtifactInvalid,
			Message: "entrypoints.server " + err.Error()}}
	}
	for _, server := range others {
		files[server] = executableMode
	}
	return files, nil
}

// otherServers returns the folder's server programs for other processors. They are checked not here but on
// the machine that installs them. Every error is a manifest.Refusal.
func otherServers(pkg *manifest.Package) ([]string, error) {
	file, err := pkg.Read(manifest.FileName, manifest.MaxBytes)
	if err != nil {
		return nil, err
	}
	var m struct {
		Entrypoints struct {
			Server string `json:"server"` // as it is written, with {os} and {arch}
		} `json:"entrypoints"`
	}
	if err := json.Unmarshal(file.Bytes, &m); err != nil {
		return nil, manifest.Refusal("must not change while it is read.") // it was valid when it was read before
	}
	var servers []string
	for _, processor := range processors {
		server := strings.NewReplacer("{os}", "linux", "{arch}", processor).Replace(m.Entrypoints.Server)
		file, _, err := pkg.Open(server)
		if errors.Is(err, manifest.ErrFileMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_ = file.Close() // nothing was written
		servers = append(servers, server)
	}
	return servers, nil
}
