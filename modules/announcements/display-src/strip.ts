import { houseTime, Mark } from "@narthex/kit";
import { h, render } from "preact";

/** Where the house's name and the time are, as values of place-content. */
interface Corners {
	readonly sign: string;
	readonly clock: string;
}

const above: readonly Corners[] = [
	{ sign: "start start", clock: "start end" },
	{ sign: "start end", clock: "start start" },
];
const below: readonly Corners[] = [
	{ sign: "end start", clock: "end end" },
	{ sign: "end end", clock: "end start" },
];
const atTheEnd: readonly Corners[] = [
	{ sign: "start end", clock: "end end" },
	{ sign: "end end", clock: "start end" },
];

/** The corners that each composition leaves free. They change with every slide and minute: no burn-in. */
const free: Readonly<Record<string, readonly Corners[]>> = {
	text: [above, below].flat(),
	idle: below.map(({ clock }) => ({ sign: "center", clock })),
	bleed: above,
	beside: atTheEnd,
	above: below,
};

const clockCss = `
	div { position: absolute; inset: 0; z-index: 1; display: grid; padding: 4cqmin 5cqmin; pointer-events: none;
		font-size: 5cqmin; line-height: 1; color: #dfe5ec; font-variant-numeric: tabular-nums; }
	div[hidden] { display: none; }`;
const signCss = `
	.sign { position: absolute; inset: 0; z-index: 1; display: grid; padding: 3.4cqmin 5cqmin;
		pointer-events: none; font-size: 3cqmin; line-height: 1.15; color: #dfe5ec; }
	.sign[hidden] { display: none; }
	.name { display: flex; align-items: center; gap: 1.6cqmin; max-inline-size: 50cqw; }
	.name bdi { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden;
		overflow-wrap: anywhere; }
	svg { flex: none; inline-size: auto; block-size: 5.6cqmin; color: var(--d-accent, #89b7fd); }
	.large { padding: 12cqmin; font-size: 7cqmin; font-weight: 600; text-align: center; }
	.large .name { flex-direction: column; gap: 5cqmin; max-inline-size: 80cqw; }
	.large svg { block-size: 30cqmin; }`;

/** The house's sign and the time of day, in corners of the stage that the slide leaves free. */
export class Strip {
	readonly #face = document.createElement("div");
	readonly #sign = document.createElement("div");
	readonly #name = document.createElement("bdi");
	readonly #form: (now: number) => string;
	#place = "text";
	#moves = 0;

	constructor(stage: HTMLElement, locale: string) {
		this.#form = houseTime(locale, { hour: "numeric", minute: "2-digit" });
		const line = document.createElement("div");
		const mark = document.createElement("span");
		line.className = "name";
		mark.style.display = "contents";
		render(h(Mark, { height: 26 }), mark);
		this.#name.translate = false;
		line.append(mark, this.#name);
		this.#sign.append(line);
		inShadow(stage, "stage-clock", clockCss, this.#face);
		inShadow(stage, "stage-sign", signCss, this.#sign);
		this.#show();
	}

	/** Shows the name of the house, and the time unless it is undefined. */
	tick(now: number | undefined, house: string): void {
		if (this.#name.textContent !== house) this.#name.textContent = house;
		const words = now === undefined ? "" : this.#form(now);
		if (this.#face.textContent === words) return;
		this.#face.textContent = words;
		this.wander();
	}

	/** Follows the composition of the slide. */
	place(place: string): void {
		this.#place = place;
		this.#show();
	}

	/** Takes the next corners. */
	wander(): void {
		this.#moves++;
		this.#show();
	}

	#show(): void {
		const places = free[this.#place] ?? [];
		const corners = places[this.#moves % Math.max(places.length, 1)];
		this.#sign.className = this.#place === "idle" ? "sign large" : "sign";
		this.#sign.hidden = this.#face.hidden = corners === undefined;
		this.#sign.style.placeContent = corners?.sign ?? "";
		this.#face.style.placeContent = corners?.clock ?? "";
	}
}

function inShadow(stage: HTMLElement, name: string, css: string, content: HTMLElement): void {
	const host = document.createElement("div");
	host.className = name;
	const shadow = host.attachShadow({ mode: "open" });
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(css);
	shadow.adoptedStyleSheets = [sheet];
	shadow.append(content);
	stage.append(host);
}
