package catalog

import "github.com/narthex-platform/narthex/modulehost/manifest"

// Permission is one entry of the registry.
type Permission struct {
	ID          string
	Baseline    manifest.Baseline
	ModuleID    string // "" = Core
	Description string // "" = none
}

// core are the platform's own permissions (spec.md § Permission).
func corePermissions() []Permission {
	return []Permission{
		{ID: "core.authorization.grants.manage", Baseline: manifest.BaselineRestricted,
			Description: "Give and revoke permissions"},
		{ID: "core.modules.ui.read", Baseline: manifest.BaselineAuthenticated,
			Description: "Open the Dashboard and its modules"},
		{ID: "core.dashboard.navigation.manage", Baseline: manifest.BaselineRestricted,
			Description: "Arrange the Dashboard's navigation"},
		{ID: "core.modules.lifecycle.manage", Baseline: manifest.BaselineRestricted,
			Description: "See, enable and disable modules"},
		{ID: "core.modules.configuration.manage", Baseline: manifest.BaselineRestricted,
			Description: "See and change the configuration of modules"},
		{ID: "core.devices.manage", Baseline: manifest.BaselineRestricted,
			Description: "Pair and manage display devices"},
	}
}

// declared cannot collide with another module's or with Core's: each id begins with its module's, which is
// unique, for it is a folder's name, and never core. Within one manifest the manifest's own rules see to
// it.
func modulePermissions(m *manifest.Manifest) []Permission {
	permissions := make([]Permission, len(m.Permissions))
	for i, p := range m.Permissions {
		permissions[i] = Permission{ID: p.ID, Baseline: p.Baseline, ModuleID: m.ID, Description: p.Description}
	}
	return permissions
}
