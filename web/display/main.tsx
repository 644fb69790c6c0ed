import "../host/missing";
import { effect } from "@preact/signals";
import { render } from "preact";
import { ServerClock } from "../host/clock";
import { refuseDrops } from "../host/filedrop";
import { followTranslators } from "../host/translation";
import { offerKit } from "../kit/global";
import { kitStyles } from "../kit/styles";
import { kitLocale } from "../kit/words";
import { Connection } from "./connection";
import { House } from "./house";
import { KeptPage } from "./keptpage";
import { Life } from "./life";
import { rewriteStyles } from "./olderstyle";
import { DisplayPlatform, hostHash } from "./platform";
import { Reloads } from "./reloads";
import { moduleName } from "./screen";
import { Stage } from "./stage";
import css from "./styles.css";
import { dimWhenStill, shiftSlowly, stayAwake } from "./upkeep";
import { DisplayView } from "./view";
import { language } from "./words";

rewriteStyles();
const sheet = new CSSStyleSheet();
sheet.replaceSync(kitStyles + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
effect(() => {
	const { lang, dir, tag } = language.value;
	document.documentElement.lang = lang;
	document.documentElement.dir = dir;
	kitLocale.value = tag;
});
followTranslators(document);
refuseDrops();
offerKit();

const [, , moduleId = "", ...more] = location.pathname.split("/");
const elsewhere = moduleId !== "" && more.length > 0; // a slash, or more, behind the name
const own = hostHash(document.head.innerHTML);
const clock = new ServerClock();
const platform = new DisplayPlatform(moduleId, clock);
const canvas = document.getElementById("root") as HTMLElement;
const stageElement = document.createElement("div");
const overlay = document.createElement("div");
stageElement.className = "host-stage";
overlay.className = "host-overlay";
canvas.append(stageElement, overlay);

const connection = new Connection(clock, () => {
	reloads.lookSoon();
	life.requestNow();
});
const reloads = new Reloads(own, platform, connection);
const kept = new KeptPage(own, () => life.requestNow());
const stage = new Stage(stageElement, {
	connection,
	language: () => language.value,
	denied: () => life.requestNow(),
	loaded: (path) => kept.loaded(path),
});
const house = new House(platform);
const life = new Life(platform, stage, connection, kept, reloads, house);

// Errors of a module outside its mount: in a stream's reader, a timer, or an unhandled rejection.
addEventListener("error", ({ error }) => {
	if (error !== null && error !== undefined) life.crashed(); // a browser's own warning has no error
});
addEventListener("unhandledrejection", ({ reason }) => {
	if (!(reason instanceof DOMException && reason.name === "AbortError")) life.crashed();
});

moduleName.value = nameOf(moduleId);
kept.start();
shiftSlowly(canvas);
dimWhenStill(canvas);
stayAwake();
render(<DisplayView connection={connection} stage={stageElement} signOut={() => life.signOut()} />, overlay);
void house.follow();
language.subscribe(() => life.requestNow());
if (elsewhere) location.replace(`/display/${moduleId}`);
else void life.run();
document.documentElement.dataset["started"] = ""; // tells web/host/loader.ts

/** A readable name until the server has sent the real one; the page itself has only the id. */
function nameOf(id: string): string {
	let words = id;
	try {
		words = decodeURIComponent(id).replaceAll("-", " ");
	} catch {
		// the address has bytes that are not UTF-8
	}
	return words.charAt(0).toUpperCase() + words.slice(1);
}
