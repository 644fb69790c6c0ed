import { clockOf, isUrgent } from "./shown";

const css = `
	div { font-size: 7cqmin; line-height: 1; color: #b8c2ce; font-variant-numeric: tabular-nums; }
	div.urgent { color: #ffd479; }`;

/** The remaining time. */
export class TimerFace {
	readonly element = document.createElement("div");
	readonly #face = document.createElement("div");

	constructor() {
		this.element.className = "timer";
		this.element.dir = "ltr";
		const shadow = this.element.attachShadow({ mode: "open" });
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(css);
		shadow.adoptedStyleSheets = [sheet];
		shadow.append(this.#face);
	}

	/** Shows the remaining seconds; undefined shows nothing. */
	tick(seconds: number | undefined): void {
		const words = seconds === undefined ? "" : clockOf(seconds);
		if (this.#face.textContent !== words) this.#face.textContent = words;
		this.#face.className = seconds !== undefined && isUrgent(seconds) ? "urgent" : "";
	}
}
