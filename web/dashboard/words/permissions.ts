import { wordsOf } from "./words";

/** What the platform's own permissions allow, in the server's words, for callers who may not read them. */
const core = wordsOf({
	en: {
		"core.authorization.grants.manage": "Give and withdraw permissions",
		"core.modules.ui.read": "Open the Dashboard and its modules",
		"core.dashboard.navigation.manage": "Arrange the Dashboard's navigation",
		"core.modules.lifecycle.manage": "See modules, and switch them on and off",
		"core.modules.configuration.manage": "See and change the settings of modules",
		"core.devices.manage": "Pair and manage screens",
		"core.account.read": "See and change one's own account",
		"core.house.manage": "Change the house's name, colour and language",
		"core.people.manage": "Invite, deactivate and erase people",
		"core.links.manage": "Make addresses of the house, as for its website",
		"core.activity.read": "See who changed what",
	},
	de: {
		"core.authorization.grants.manage": "Berechtigungen geben und entziehen",
		"core.modules.ui.read": "Das Dashboard und seine Module öffnen",
		"core.dashboard.navigation.manage": "Die Navigation des Dashboards ordnen",
		"core.modules.lifecycle.manage": "Module ansehen, ein- und ausschalten",
		"core.modules.configuration.manage": "Einstellungen der Module ansehen und ändern",
		"core.devices.manage": "Bildschirme koppeln und verwalten",
		"core.account.read": "Das eigene Konto ansehen und ändern",
		"core.house.manage": "Name, Farbe und Sprache des Hauses ändern",
		"core.people.manage": "Personen einladen, deaktivieren und löschen",
		"core.links.manage": "Adressen des Hauses machen, etwa für die Website",
		"core.activity.read": "Ansehen, wer was geändert hat",
	},
});

/** What a permission of the platform allows, or its id if a newer server has it. */
export const permissionName = (id: string): string =>
	id in core.catalogue.en ? core(id as "core.activity.read") : id;
