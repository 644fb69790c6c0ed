package catalog

import (
	"fmt"
	"path/filepath"

	"github.com/Masterminds/semver/v3"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Inspect reads one module's folder as Discover does, by itself: the manifest, its compatibility with this
// platform, and the files that it names. Dependencies are not resolved, so the Module has no edges and level
// 0. platformVersion is as for Discover.
//
// The error is Findings as discovery would report them; then there is no Module.
func Inspect(folder, platformVersion string) (*Module, error) {
	platform, err := semver.StrictNewVersion(platformVersion)
	if err != nil {
		return nil, fmt.Errorf("the platform's own version: %w", err)
	}
	module, findings := read(folder, platform)
	if len(findings) > 0 {
		return nil, findings
	}
	return module, nil
}

// Sources reads a module's source folder, built or not: the manifest, its compatibility with this platform,
// and its migrations. It is for tests of a module; the Module has neither artifacts nor edges.
// platformVersion is as for Discover. The error is Findings as discovery would report them, or one of the
// operating system.
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
	i := &inspection{module: printableName(filepath.Base(folder))}
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
