package platform

import (
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/environment"
)

// InstalledModules discovers the installed modules, in the same way for every command and for the start.
func InstalledModules(settings environment.Settings) (*catalog.Catalog, error) {
	return catalog.Discover(settings.Modules.Dir, settings.Modules.Explicit, abi.PlatformVersion)
}

// ComposeRegistry creates the permission registry from the catalog's permissions.
func ComposeRegistry(installed *catalog.Catalog) (*authorization.Registry, error) {
	var permissions []authorization.Permission
	for _, p := range installed.Permissions {
		baseline := authorization.Restricted
		if p.Baseline == manifest.BaselineAuthenticated {
			baseline = authorization.Authenticated
		}
		names := make(map[string]string, len(p.ModuleNames))
		for language, text := range p.ModuleNames {
			names[language] = text.Name
		}
		permissions = append(permissions, authorization.Permission{
			ID: p.ID, Baseline: baseline, Description: p.Description, Translated: p.Translated,
			ModuleID: p.ModuleID, ModuleName: p.ModuleName, ModuleNames: names, Display: p.Display,
		})
	}
	return authorization.NewRegistry(permissions)
}

// MigrationLines returns the migration files of every module with a database, enabled or not.
func MigrationLines(installed *catalog.Catalog) []migrations.Line {
	var lines []migrations.Line
	for _, module := range installed.Modules {
		if module.Manifest.Database == nil {
			continue
		}
		line := migrations.Line{ID: module.Manifest.ID}
		for _, file := range module.Migrations {
			line.Files = append(line.Files, migrations.File{Version: file.Version, Name: file.Name, SQL: file.SQL})
		}
		lines = append(lines, line)
	}
	return lines
}

func permissionIDs(m *manifest.Manifest) []string {
	ids := make([]string, len(m.Permissions))
	for i, permission := range m.Permissions {
		ids[i] = permission.ID
	}
	return ids
}
