/** The screens of the administration: a script of their own, loaded by whoever opens one of them. */
export { ModulesScreen } from "./screens/modules/modulesscreen";
export { ModulePage } from "./screens/modules/modulepage";
export { SettingsScreen } from "./screens/settings/settingsscreen";
