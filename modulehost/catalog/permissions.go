package catalog

import "github.com/narthex-platform/narthex/modulehost/manifest"

// Permission is one entry of the registry.
type Permission struct {
	ID          string
	Baseline    manifest.Baseline
	ModuleID    string // "" = Core
	Description string // "" = none
}

// corePermissions are the platform's own permissions.
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
		{ID: "core.account.read", Baseline: manifest.BaselineAuthenticated,
			Description: "See and change one's own account"},
		{ID: "core.house.manage", Baseline: manifest.BaselineRestricted,
			Description: "Change the house's name, colour and language"},
		{ID: "core.people.manage", Baseline: manifest.BaselineRestricted,
			Description: "Invite people and see them off again"},
		{ID: "core.activity.read", Baseline: manifest.BaselineRestricted,
			Description: "See who changed what"},
	}
}

// modulePermissions returns a manifest's permissions. They cannot collide with those of Core or of another
// module: each id begins with the id of its module, which is never core and is unique as a folder's name.
// Parse refuses duplicates within one manifest.
func modulePermissions(m *manifest.Manifest) []Permission {
	permissions := make([]Permission, len(m.Permissions))
	for i, p := range m.Permissions {
		permissions[i] = Permission{ID: p.ID, Baseline: p.Baseline, ModuleID: m.ID, Description: p.Description}
	}
	return permissions
}
