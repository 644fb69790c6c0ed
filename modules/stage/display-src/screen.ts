import { hyphenated, lineHeightFor } from "@narthex/kit";
import { fitWords } from "./fit";
import { type Logo, logo } from "./logo";
import { secondsLeft, type Shown } from "./shown";
import { TimerFace } from "./timer";

const tickEvery = 250;

/** The whole screen: words with their name and the timer above, a message and the next step below. */
export class Screen {
	readonly #element = part("screen");
	readonly #label = part("label");
	readonly #words = part("words");
	readonly #message = part("message");
	readonly #next = part("next");
	readonly #timer = new TimerFace();
	readonly #logo: Logo = logo();
	readonly #resized = new ResizeObserver(() => this.#fit());
	readonly #ticking: ReturnType<typeof setInterval>;
	#shown: Shown | undefined;

	constructor(
		container: HTMLElement,
		readonly locale: string,
		readonly now: () => number,
	) {
		const top = part("top");
		top.append(this.#label, this.#timer.element);
		this.#element.append(top, this.#words, this.#message, this.#next, this.#logo.element);
		this.#element.dataset["screen"] = "logo";
		this.#message.hidden = true;
		container.append(this.#element);
		this.#resized.observe(this.#element);
		this.#ticking = setInterval(() => this.#tick(), tickEvery);
	}

	show(shown: Shown): void {
		this.#shown = shown;
		const { now, next, screen, message, settings } = shown;
		const showsWords = screen === "live" && now !== null;
		this.#element.dataset["screen"] = screen === "live" && now === null ? "logo" : screen;
		this.#label.textContent = showsWords ? now.label : "";
		const lines = showsWords ? now.lines : [];
		this.#words.replaceChildren(...lines.map((line) => part("line", hyphenated(line, this.locale))));
		this.#message.textContent = hyphenated(message, this.locale);
		this.#message.hidden = message === "" || screen === "black";
		this.#next.textContent = showsWords && settings.showNext && next ? next.line : "";
		this.#logo.name(shown.title);
		this.#tick();
		this.#fit();
	}

	stop(): void {
		clearInterval(this.#ticking);
		this.#resized.disconnect();
		this.#element.remove();
	}

	#tick(): void {
		const { timer, screen, now } = this.#shown ?? {};
		const counts = timer && screen === "live" && now;
		this.#timer.tick(counts ? secondsLeft(timer, this.now()) : undefined);
		this.#logo.wander(this.now());
	}

	#fit(): void {
		for (const line of [this.#label, this.#message, this.#next, this.#logo.element]) {
			line.style.lineHeight = String(lineHeightFor(line, 1.2));
		}
		fitWords(this.#words, this.#shown?.settings.fontScale ?? 100);
	}
}

function part(name: string, words?: string): HTMLElement {
	const element = document.createElement("div");
	element.className = name;
	element.dir = "auto";
	if (words !== undefined) element.textContent = words;
	return element;
}
