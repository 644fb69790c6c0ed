package catalog

import "github.com/narthex-platform/narthex/modulehost/manifest"

// Permission is one entry of the registry.
type Permission struct {
	ID          string
	Baseline    manifest.Baseline
	ModuleID    string            // "" = Core
	ModuleName  string            // "" = Core
	ModuleNames manifest.Texts    // the module's name in further languages
	Description string            // "" = none
	Translated  map[string]string // the description by language
	Display     bool              // it is for screens, to show the module's display
}

// corePermissions are the platform's own permissions.
func corePermissions() []Permission {
	const restricted, authenticated = manifest.BaselineRestricted, manifest.BaselineAuthenticated
	return []Permission{
		corePermission("core.authorization.grants.manage", restricted,
			"Give and withdraw permissions", "Berechtigungen geben und entziehen"),
		corePermission("core.modules.ui.read", authenticated,
			"Open the Dashboard and its modules", "Das Dashboard und seine Module öffnen"),
		corePermission("core.dashboard.navigation.manage", restricted,
			"Arrange the Dashboard's navigation", "Die Navigation des Dashboards ordnen"),
		corePermission("core.modules.lifecycle.manage", restricted,
			"See modules, and switch them on and off", "Module ansehen, ein- und ausschalten"),
		corePermission("core.modules.configuration.manage", restricted,
			"See and change the settings of modules", "Einstellungen der Module ansehen und ändern"),
		corePermission("core.devices.manage", restricted,
			"Pair and manage screens", "Bildschirme koppeln und verwalten"),
		corePermission("core.account.read", authenticated,
			"See and change one's own account", "Das eigene Konto ansehen und ändern"),
		corePermission("core.house.manage", restricted,
			"Change the house's name, colour and language", "Name, Farbe und Sprache des Hauses ändern"),
		corePermission("core.people.manage", restricted,
			"Invite, deactivate and erase people", "Personen einladen, deaktivieren und löschen"),
		corePermission("core.links.manage", restricted,
			"Make addresses of the house, as for its website", "Adressen des Hauses machen, etwa für die Website"),
		corePermission("core.activity.read", restricted,
			"See who changed what", "Ansehen, wer was geändert hat"),
	}
}

func corePermission(id string, baseline manifest.Baseline, english, german string) Permission {
	translated := map[string]string{"de": german}
	return Permission{ID: id, Baseline: baseline, Description: english, Translated: translated}
}

// modulePermissions returns a manifest's permissions. They cannot collide with those of Core or of another
// module: each id begins with the id of its module, which is never core and is unique as a folder's name.
// Parse refuses duplicates within one manifest.
func modulePermissions(m *manifest.Manifest) []Permission {
	permissions := make([]Permission, len(m.Permissions))
	for i, p := range m.Permissions {
		permissions[i] = Permission{
			ID: p.ID, Baseline: p.Baseline, Description: p.Description, Translated: m.Descriptions(p.ID),
			ModuleID: m.ID, ModuleName: m.Name, ModuleNames: m.Texts(),
			Display: m.Display != nil && m.Display.Permission == p.ID,
		}
	}
	return permissions
}
