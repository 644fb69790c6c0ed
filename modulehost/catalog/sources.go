package catalog

import (
	"fmt"
	"path/filepath"

	"github.com/Masterminds/semver/v3"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Sources reads a module's folder as its author has it, built or not: its manifest, what that is compatible
// with, and its migrations. It is for tests of a module; the Module has neither artifacts nor edges.
// platformVersion is as for Discover. The error is Findings, as discovery has them, or the system's own.
func Sources(folder, platformVersion string) (*Module, error) {
	platform, err := semver.StrictNewVersion(platformVersion)
	if err != nil {
		return nil, fmt.Errorf("the platform's own version: %w", err)
	}
	pkg, err := manifest.OpenPackage(folder)
	if err != nil {
		return nil, err
	}
	defer pkg.Close()
	i := &inspection{module: showable(filepath.Base(folder))}
	module := &Module{Manifest: i.manifest(pkg, filepath.Base(folder)), Folder: folder}
	if m := module.Manifest; m != nil {
		i.compatible(m, platform)
		if m.Database != nil && m.Database.Migrations != "" {
			module.Migrations = i.migrations(pkg, m.Database.Migrations)
		}
	}
	if len(i.findings) > 0 {
		return nil, i.findings
	}
	return module, nil
}
