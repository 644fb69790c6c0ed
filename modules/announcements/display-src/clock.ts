import { houseTime } from "@narthex/kit";

/** The corners of the clock. It moves with every slide and minute, so that it does not burn in. */
const corners = ["end end", "start end", "end start", "start start"] as const;
/** The corners that are free beside a picture. */
const besidePicture = ["end end", "start end"] as const;

const css = `
	div { position: absolute; inset: 0; z-index: 1; display: grid; padding: 4cqmin; pointer-events: none;
		font-size: 5cqmin; line-height: 1; color: #b8c2ce; font-variant-numeric: tabular-nums; }
	div[hidden] { display: none; }`;

/** The time of day in a corner of the stage. */
export class Clock {
	readonly #host = document.createElement("div");
	readonly #face = document.createElement("div");
	readonly #form: (now: number) => string;
	#places = 0;
	#layout = "text";
	#known = false;

	constructor(stage: HTMLElement, locale: string) {
		this.#form = houseTime(locale, { hour: "numeric", minute: "2-digit" });
		this.#host.className = "stage-clock";
		const shadow = this.#host.attachShadow({ mode: "open" });
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(css);
		shadow.adoptedStyleSheets = [sheet];
		shadow.append(this.#face);
		this.#move();
		stage.append(this.#host);
	}

	/** Shows the time; undefined hides it. */
	tick(now: number | undefined): void {
		const words = now === undefined ? "" : this.#form(now);
		this.#known = words !== "";
		if (this.#face.textContent === words) return;
		this.#face.textContent = words;
		this.#move();
	}

	/** Moves the clock to a corner that is free in this layout. */
	place(layout: string): void {
		this.#layout = layout;
		this.#move();
	}

	#move(): void {
		const free = this.#layout === "both" ? besidePicture : corners;
		this.#face.style.placeContent = free[this.#places++ % free.length] ?? "";
		this.#face.hidden = !this.#known || this.#layout === "picture" || this.#layout === "contributed";
	}
}
