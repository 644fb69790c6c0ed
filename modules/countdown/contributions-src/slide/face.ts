import { hyphenated, lineHeightFor } from "@narthex/kit";
import { type Countdown, left } from "./countdown";
import css from "./face.css";

/** The countdown in a slide. It is in a shadow tree, because a contribution cannot add styles to the page. */
export class Face {
	readonly #label = block("label");
	readonly #days = block("days");
	readonly #time = block("time");
	readonly #target: string;
	readonly #form: Intl.NumberFormat;
	readonly #resized = new ResizeObserver(() => this.#fit());

	constructor(slide: HTMLElement, { label, target }: Countdown, locale: string) {
		this.#target = target;
		this.#form = new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" });
		const host = block("countdown");
		const shadow = host.attachShadow({ mode: "open" });
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(css);
		shadow.adoptedStyleSheets = [sheet];
		this.#label.dir = "auto";
		this.#label.textContent = hyphenated(label, locale);
		this.#time.dir = "ltr";
		shadow.append(this.#label, this.#days, this.#time);
		slide.append(host);
		this.#resized.observe(host);
	}

	stop(): void {
		this.#resized.disconnect();
	}

	/** Gives the label the largest size at which no word is broken; else it is broken at the smallest. */
	#fit(): void {
		const label = this.#label;
		label.style.lineHeight = String(lineHeightFor(label, 1.15));
		label.classList.add("whole");
		for (const scale of ["1", "0.9", "0.8", "0.7"]) {
			label.style.setProperty("--scale", scale);
			if (label.scrollWidth <= label.clientWidth) return;
		}
		label.classList.remove("whole");
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
