import type { Screen } from "../app/screen";
import { t } from "../words/words";
import { w as home } from "./home/words";
import { manageConfiguration, manageLifecycle } from "./modules/permissions";

const modules = [manageLifecycle, manageConfiguration];

/**
 * The Dashboard's own screens. What is below "admin/" stands in the sidebar in this order, for those whom the
 * server would let use it.
 */
export const screens: readonly Screen[] = [
	{
		path: "",
		title: () => home("home"),
		icon: "home",
		load: async () => (await import("./home/homescreen")).HomeScreen,
	},
	{
		path: "account",
		title: () => t("account"),
		icon: "person",
		load: async () => (await import("./account/accountscreen")).AccountScreen,
	},
	{
		path: "admin/modules",
		permissions: modules,
		title: () => t("modules"),
		icon: "modules",
		load: async () => (await import("./modules/modulesscreen")).ModulesScreen,
	},
	{
		path: "admin/modules/:id",
		permissions: [manageLifecycle],
		title: () => t("modules"),
		icon: "modules",
		load: async () => (await import("./modules/modulepage")).ModulePage,
	},
	settings("admin/modules/:id/settings"),
	settings("admin/modules/:id/settings/:key"),
];

/** A module's settings, at one of the keys or at the top. */
function settings(path: string): Screen {
	return {
		path,
		permissions: [manageConfiguration],
		title: () => t("modules"),
		icon: "modules",
		load: async () => (await import("./settings/settingsscreen")).SettingsScreen,
	};
}
