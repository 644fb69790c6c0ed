import { type Countdown, left } from "./countdown";
import css from "./face.css";

/**
 * The countdown in a slide. It is in a shadow tree, as the board's clock is. So its ticks do not count as
 * changes of the board, and the host can still dim a board that has not changed for long.
 */
export class Face {
	readonly #days = block("days");
	readonly #time = block("time");
	readonly #target: string;
	readonly #form: Intl.NumberFormat;

	constructor(slide: HTMLElement, { label, target }: Countdown, locale: string) {
		this.#target = target;
		this.#form = new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" });
		const host = block("countdown");
		const shadow = host.attachShadow({ mode: "open" });
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(css);
		shadow.adoptedStyleSheets = [sheet];
		const words = block("label");
		words.dir = "auto";
		words.textContent = label;
		this.#time.dir = "ltr";
		shadow.append(words, this.#days, this.#time);
		slide.append(host);
	}

	/** Shows the remaining time. */
	show(now: number): void {
		const { days, time } = left(this.#target, now);
		if (this.#time.textContent === time) return;
		this.#time.textContent = time;
		this.#time.classList.toggle("short", time.length < 6);
		this.#days.textContent = days > 0 ? this.#form.format(days) : "";
	}
}

function block(name: string): HTMLElement {
	const element = document.createElement("div");
	element.className = name;
	return element;
}
