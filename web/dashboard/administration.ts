/** The screens of the administration: a script of their own, loaded with the first of them that is opened. */
export { ModulesScreen } from "./screens/modules/modulesscreen";
export { ModulePage } from "./screens/modules/modulepage";
export { SettingsScreen } from "./screens/settings/settingsscreen";
export { PermissionsScreen } from "./screens/permissions/permissionsscreen";
export { NavigationScreen } from "./screens/navigation/navigationscreen";
export { HouseScreen } from "./screens/house/housescreen";
export { ScreensScreen } from "./screens/devices/screensscreen";
export { PeopleScreen } from "./screens/people/peoplescreen";
export { ActivityScreen } from "./screens/activity/activityscreen";
