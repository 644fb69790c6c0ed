import { clockOf, isUrgent } from "./shown";

const css = `
	div { font-size: 8.4cqmin; font-weight: 600; line-height: 1; color: #dfe5ec; letter-spacing: -.02em;
		font-variant-numeric: tabular-nums; }
	div.urgent { padding: .5cqmin 1.6cqmin; color: #0e1116; background: #ffd479; border-radius: 1.4cqmin; }`;

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
