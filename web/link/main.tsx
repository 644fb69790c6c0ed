import "../host/missing";
import type { Display } from "@narthex/sdk";
import { render } from "preact";
import { loadArtifact } from "../host/artifact";
import { ServerClock } from "../host/clock";
import { contextOf } from "../host/context";
import { refuseDrops } from "../host/filedrop";
import { preferredLanguages } from "../host/languages";
import { followTranslators } from "../host/translation";
import { Button } from "../kit/button";
import { offerKit } from "../kit/global";
import { kitHouse } from "../kit/house";
import { kitStyles } from "../kit/styles";
import { kitLocale, kitSay } from "../kit/words";
import { fillIn } from "../sdk/narthex-sdk";
import { type Descriptor, describe, type Failure, open, readHouse } from "./platform";
import css from "./styles.css";
import { wordsFor } from "./words";

// The secret is only in this variable, and in no address that could be seen, shared or stored.
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
addEventListener("hashchange", () => location.reload()); // another link, in the same tab

const sheet = new CSSStyleSheet();
sheet.replaceSync(kitStyles + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
followTranslators(document);
refuseDrops();
offerKit();

const moduleId = location.pathname.split("/")[2] ?? "";
const clock = new ServerClock();
const ended = new AbortController();
const root = document.getElementById("root") as HTMLElement;
const page = document.createElement("main");
page.className = "l-page";
const brand = document.createElement("header");
brand.className = "l-house";
root.append(brand, page);

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => {
	document.documentElement.dataset["theme"] = dark.matches ? "dark" : "light";
};
dark.addEventListener("change", paint);
paint();

let spoken = wordsFor(preferredLanguages(), "en");
speak();
void begin();
document.documentElement.dataset["started"] = ""; // tells web/host/loader.ts

function speak(): void {
	const { tag, kit } = spoken;
	document.documentElement.lang = tag;
	kitLocale.value = tag;
	kitSay.value = (id, fillings = {}) => fillIn(kit[id], fillings, tag);
}

async function begin(): Promise<void> {
	say(spoken.words.opening);
	const house = await readHouse();
	if (house === undefined) return fail("unreachable");
	kitHouse.value = house;
	document.documentElement.dataset["accent"] = house.accent;
	brand.textContent = house.name ?? "";
	spoken = wordsFor(preferredLanguages(), house.language);
	speak();
	const refused = secret === "" ? undefined : await open(moduleId, secret);
	if (refused !== undefined) return fail(refused);
	const described = await describe(moduleId, clock);
	if (typeof described === "string") return fail(described);
	await mount(described);
}

async function mount(descriptor: Descriptor): Promise<void> {
	const language = spoken.tag.split("-")[0] ?? "";
	const name = descriptor.translations?.[language]?.["name"] ?? descriptor.name;
	document.title = [name, kitHouse.peek()?.name].filter(Boolean).join(" · ");
	const container = document.createElement("div");
	container.dataset["module"] = descriptor.moduleId;
	try {
		const artifact = await loadArtifact<Display>("display", descriptor.artifactUrl, ended.signal);
		render(null, page);
		page.append(container);
		await artifact.mount(
			container,
			Object.freeze(
				contextOf({
					entry: descriptor,
					container,
					clock,
					identity: "link",
					locale: spoken.tag,
					dir: "ltr",
					address: (path) => new URL(path, location.origin).href,
					denied: () => fail("notFound"),
					contributionsCall: false,
					pausesWhenHidden: true,
					signal: ended.signal,
				}),
			),
		);
	} catch (error) {
		console.error(error);
		fail("unreachable", spoken.words.cannotShow);
	}
}

/** Says what is wrong, and offers to try again where that can help. */
function fail(why: Failure, title = spoken.words[why]): void {
	const { words } = spoken;
	document.title = title;
	const more = { notFound: words.askAgain, tooMany: words.waitAMinute, unreachable: "" }[why];
	page.querySelector("[data-module]")?.remove();
	render(
		<div class="l-words" role="alert">
			<h1>{title}</h1>
			{more && <p>{more}</p>}
			{why !== "notFound" && <Button kind="primary" onPress={begin}>{words.tryAgain}</Button>}
		</div>,
		page,
	);
}

function say(words: string): void {
	render(<p class="l-words">{words}</p>, page);
}
