import type { App } from "../../app/app";

export const manageLifecycle = "core.modules.lifecycle.manage";
export const manageConfiguration = "core.modules.configuration.manage";
export const manageGrants = "core.authorization.grants.manage";
export const manageNavigation = "core.dashboard.navigation.manage";
export const manageDevices = "core.devices.manage";
export const managePeople = "core.people.manage";
export const seeActivity = "core.activity.read";
export const manageHouse = "core.house.manage";
export const manageLinks = "core.links.manage";

/** Whether the caller holds a permission, as far as it is known. This is only a hint; the server decides. */
export function holds(app: App, permission: string): boolean {
	const navigation = app.navigation.value;
	return navigation.is === "ready" && navigation.view.permissions.includes(permission);
}
