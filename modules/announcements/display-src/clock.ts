/** Where the clock may stand. It goes on with every slide, so that no place of the panel burns in. */
const corners = ["bottom end", "top end", "bottom start", "top start"] as const;
/** Beside a picture only these are free. */
const besidePicture = ["bottom end", "top end"] as const;

/** The time of day in a corner of the stage. */
export class Clock {
	readonly #element = document.createElement("div");
	readonly #form: Intl.DateTimeFormat;
	#places = 0;

	constructor(stage: HTMLElement, locale: string) {
		this.#element.className = "stage-clock";
		this.#element.hidden = true;
		this.#form = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
		stage.append(this.#element);
	}

	/** Shows the time; undefined hides it. */
	tick(now: number | undefined): void {
		this.#element.hidden = now === undefined;
		if (now === undefined) return;
		const words = this.#form.format(now);
		if (this.#element.textContent !== words) this.#element.textContent = words;
	}

	/** Goes to the next corner that a slide of this layout leaves free. */
	place(layout: string): void {
		const free = layout === "both" ? besidePicture : corners;
		this.#element.dataset["corner"] = free[this.#places++ % free.length];
		this.#element.classList.toggle("covered", layout === "picture" || layout === "contributed");
	}
}
