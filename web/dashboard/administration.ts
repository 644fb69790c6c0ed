/**
 * The screens of the administration and the account with their styles, and parts of other screens that few
 * visits need, in a script of their own that is loaded when the first of them is opened.
 */
import css from "./screens/administration.css";

export { ModulesScreen } from "./screens/modules/modulesscreen";
export { RestartBanner } from "./screens/modules/restartbanner";
export { ModulePage } from "./screens/modules/modulepage";
export { SettingsScreen } from "./screens/settings/settingsscreen";
export { PermissionsScreen } from "./screens/permissions/permissionsscreen";
export { NavigationScreen } from "./screens/navigation/navigationscreen";
export { HouseScreen } from "./screens/house/housescreen";
export { ZoneQuestion } from "./screens/house/zonequestion";
export { ScreensScreen } from "./screens/devices/screensscreen";
export { PeopleScreen } from "./screens/people/peoplescreen";
export { AccountScreen } from "./screens/account/accountscreen";
export { SecondStep } from "./screens/access/secondstep";
export { ActivityScreen } from "./screens/activity/activityscreen";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
