import "../host/missing";
import { render } from "preact";
import { refuseDrops } from "../host/filedrop";
import { followTranslators } from "../host/translation";
import { showTypedField } from "../host/typedfield";
import { offerKit } from "../kit/global";
import { loadLaterBy } from "../kit/later";
import { kitStyles } from "../kit/styles";
import { addStyles } from "./app/addedstyles";
import { App } from "./app/app";
import { paintHouse } from "./app/house";
import { loadInviteFileBy } from "./app/invitefile";
import { files, offerParts } from "./app/laterscript";
import { takeLink } from "./app/link";
import { apiOrigin } from "./app/origin";
import { applyPreferences } from "./app/preferences";
import { Platform } from "./data/platform";
import { screens } from "./screens/table";
import { copyTables } from "./shell/copiedtable";
import { keepFocus } from "./shell/lostfocus";
import { Page } from "./shell/page";
import { BadBuild } from "./shell/errorpage";
import css from "./styles.css";

const link = takeLink(); // before the first request
addStyles(kitStyles + css);
applyPreferences();
paintHouse();
followTranslators(document);
refuseDrops();
showTypedField();
keepFocus();
copyTables();
offerKit();
offerParts();
loadLaterBy(files);
loadInviteFileBy(files((parts) => parts.InviteFile));

const element = document.querySelector<HTMLMetaElement>('meta[name="service-api-origin"]');
const origin = element ? apiOrigin(element.content, location.origin) : undefined;
const root = document.getElementById("root") as HTMLElement;
if (origin === undefined) {
	render(<BadBuild />, root);
} else {
	const platform = new Platform(origin);
	const app = new App(platform, link, screens);
	render(<Page app={app} />, root);
	void app.start();
}
document.documentElement.dataset["started"] = ""; // tells web/host/loader.ts
