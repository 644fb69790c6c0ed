import { render } from "preact";
import { App } from "./app";
import { Page } from "./page";
import { apiOrigin } from "./origin";
import { Platform } from "./platform";
import { applyPreferences } from "./preferences";
import { takeLink } from "./link";
import css from "./styles.css";
import { BadBuild } from "./starting";

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
