import type { ComponentType } from "preact";
import type { Address } from "../app/address";
import { account, administration } from "../app/laterscript";
import type { Screen, ScreenProps } from "../app/screen";
import { t } from "../words/words";
import { HomeScreen } from "./home/homescreen";
import { w as home } from "./home/words";
import {
	manageConfiguration,
	manageDevices,
	manageGrants,
	manageHouse,
	manageLifecycle,
	manageNavigation,
	managePeople,
	seeActivity,
} from "./modules/permissions";

const modules = [manageLifecycle, manageConfiguration];

/**
 * The Dashboard's own screens. Those below "admin/" are in the sidebar in this order, for people whom the
 * server would let use them. Their components are in scripts of their own, administration.ts and
 * account.ts.
 */
export const screens: readonly Screen[] = [
	{
		path: "",
		title: () => home("home"),
		icon: "home",
		load: async () => HomeScreen,
	},
	{
		path: "account",
		title: () => t("account"),
		icon: "person",
		load: account((screens) => screens.AccountScreen),
	},
	{
		path: "account/calendars",
		title: () => t("account"),
		icon: "calendar",
		load: account((screens) => screens.CalendarsScreen),
	},
	{
		path: "admin/modules",
		permissions: modules,
		title: () => t("modules"),
		icon: "modules",
		load: administration((screens) => screens.ModulesScreen),
	},
	{
		path: "admin/modules/:id",
		permissions: [manageLifecycle],
		title: () => t("modules"),
		icon: "modules",
		load: administration((screens) => screens.ModulePage),
	},
	settings("admin/modules/:id/settings"),
	settings("admin/modules/:id/settings/:key"),
	permissions("admin/permissions"),
	permissions("admin/permissions/person/:person"),
	permissions("admin/permissions/permission/:permission"),
	{
		path: "admin/navigation",
		permissions: [manageNavigation],
		title: () => t("navigation"),
		icon: "list",
		load: administration((screens) => screens.NavigationScreen),
	},
	{
		path: "admin/screens",
		permissions: [manageDevices],
		title: () => t("screens"),
		icon: "screen",
		load: administration((screens) => screens.ScreensScreen),
	},
	{
		path: "admin/screens/:code",
		permissions: [manageDevices],
		title: () => t("screens"),
		icon: "screen",
		load: administration((screens) => screens.ScreensScreen),
	},
	people("admin/people"),
	people("admin/people/:person"),
	activity("admin/activity"),
	activity("admin/activity/:person"),
	{
		path: "admin/house",
		permissions: [manageHouse],
		title: () => t("house"),
		icon: "house",
		load: administration((screens) => screens.HouseScreen),
	},
];

/** Loads the component of a screen of the table. Call it when the caller may open the screen. */
export async function componentOf({ path }: Address): Promise<ComponentType<ScreenProps>> {
	const screen = screens.find((known) => known.path === path);
	if (screen === undefined) throw new Error(`There is no screen at ${path}.`);
	return screen.load();
}

/** The activity of everybody, or of one person. */
function activity(path: string): Screen {
	return {
		path,
		permissions: [seeActivity],
		title: () => t("activity"),
		icon: "activity",
		load: administration((screens) => screens.ActivityScreen),
	};
}

/** Everybody's permissions, those of one person, or the holders of one permission. */
function permissions(path: string): Screen {
	return {
		path,
		permissions: [manageGrants],
		title: () => t("permissions"),
		icon: "key",
		load: administration((screens) => screens.PermissionsScreen),
	};
}

/** Everybody, or one person. */
function people(path: string): Screen {
	return {
		path,
		permissions: [managePeople],
		title: () => t("people"),
		icon: "people",
		load: administration((screens) => screens.PeopleScreen),
	};
}

/** A module's settings, with the focus on one key or at the top. */
function settings(path: string): Screen {
	return {
		path,
		permissions: [manageConfiguration],
		title: () => t("modules"),
		icon: "modules",
		load: administration((screens) => screens.SettingsScreen),
	};
}
