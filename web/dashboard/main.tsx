import { render } from "preact";
import { App } from "./app/app";
import { Page } from "./shell/page";
import { apiOrigin } from "./app/origin";
import { Platform } from "./data/platform";
import { applyPreferences } from "./app/preferences";
import { takeLink } from "./app/link";
import css from "./styles.css";
import { BadBuild } from "./shell/starting";

const link = takeLink(); // before the first request
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets.push(sheet);
applyPreferences();

const element = document.querySelector<HTMLMetaElement>('meta[name="service-api-origin"]');
const origin = element ? apiOrigin(element.content, location.origin) : undefined;
const root = document.getElementById("root") as HTMLElement;
if (origin === undefined) {
	render(<BadBuild />, root);
} else {
	const app = new App(new Platform(origin), link);
	render(<Page app={app} />, root);
	void app.start();
}
