/**
 * The screens of the administration, and parts of other screens that few visits need, in a script of their
 * own that is loaded when the first of them is opened.
 */
import { addStyles } from "./app/addedstyles";
import css from "./screens/administration.css";
import feeds from "./screens/feeds/feeds.css";

export { ModulesScreen } from "./screens/modules/modulesscreen";
export { RestartBanner } from "./screens/modules/restartbanner";
export { ModulePage } from "./screens/modules/modulepage";
export { SettingsScreen } from "./screens/settings/settingsscreen";
export { PermissionsScreen } from "./screens/permissions/permissionsscreen";
export { NavigationScreen } from "./screens/navigation/navigationscreen";
export { HouseScreen } from "./screens/house/housescreen";
export { FirstSteps } from "./screens/house/firststeps";
export { ZoneQuestion } from "./screens/house/zonequestion";
export { ScreensScreen } from "./screens/devices/screensscreen";
export { PeopleScreen } from "./screens/people/peoplescreen";
export { ActivityScreen } from "./screens/activity/activityscreen";

addStyles(css + feeds);
