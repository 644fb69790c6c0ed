/** The account, and the second step of a sign-in, in a script of their own. */
import { addStyles } from "./app/addedstyles";
import css from "./screens/account/account.css";
import feeds from "./screens/feeds/feeds.css";

export { AccountScreen } from "./screens/account/accountscreen";
export { CalendarsScreen } from "./screens/feeds/calendarsscreen";
export { SecondStep } from "./screens/access/secondstep";

addStyles(css + feeds);
