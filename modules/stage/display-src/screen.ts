import { hyphenated, lineHeightFor, Mark } from "@narthex/kit";
import type { Context } from "@narthex/sdk";
import { h, render } from "preact";
import { chordedLine } from "./chorded";
import { fitWords } from "./fit";
import { type Logo, logo } from "./logo";
import { clockOf, countdownOf, secondsLeft, type Shown } from "./shown";
import { TimerFace } from "./timer";
import type { View } from "./view";

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
	readonly #countdown = part("countdown");
	#shown: Shown | undefined;
	#view: View = "all";
	/** A countdown is on the screen. */
	#counts = false;

	constructor(
		container: HTMLElement,
		readonly context: Pick<Context, "locale" | "house">,
		readonly now: () => number,
	) {
		const top = part("top");
		const mark = part("mark");
		render(h(Mark, { height: 26 }), mark);
		top.append(mark, this.#label, this.#timer.element);
		this.#element.append(top, this.#words, this.#message, this.#next, this.#logo.element);
		this.#element.append(this.#countdown);
		this.#countdown.dir = "ltr";
		this.#element.dataset["screen"] = "logo";
		this.#message.hidden = true;
		container.append(this.#element);
		this.#resized.observe(this.#element);
		this.#ticking = setInterval(() => this.#tick(), tickEvery);
	}

	/** Shows the screen for whom it is. */
	see(view: View): void {
		this.#view = view;
		this.#element.dataset["view"] = view;
		if (this.#shown) this.show(this.#shown);
	}

	show(shown: Shown): void {
		this.#shown = shown;
		const { now, next, screen, message, settings, capo } = shown;
		this.#counts = countdownOf(shown, this.now()) !== undefined;
		const live = screen === "live" || screen === "countdown";
		const showsWords = live && now !== null && !this.#counts;
		this.#element.dataset["screen"] = this.#counts ? "countdown" : live ? (now ? "live" : "logo") : screen;
		const forSingers = this.#view === "singers";
		const playsWithCapo = forSingers && capo > 0;
		this.#label.textContent = showsWords ? `${now.label}${playsWithCapo ? ` · Capo ${capo}` : ""}` : "";
		const lines = showsWords ? now.lines : [];
		this.#words.replaceChildren(
			...lines.map((line, n) => {
				const chords = forSingers ? (now?.chords?.[n] ?? []) : [];
				if (chords.length > 0) return chordedLine(line, chords);
				return part("line", hyphenated(line, this.context.locale));
			}),
		);
		this.#message.textContent = hyphenated(message, this.context.locale);
		this.#message.hidden = message === "" || screen === "black";
		const showsNext = forSingers || (settings.showNext && this.#view !== "congregation");
		this.#next.textContent = showsWords && showsNext && next ? next.line : "";
		this.#tick();
		this.#fit();
	}

	stop(): void {
		clearInterval(this.#ticking);
		this.#resized.disconnect();
		this.#element.remove();
	}

	#tick(): void {
		this.#logo.name(this.#shown?.title || this.context.house?.name || "");
		if (!this.#shown) return this.#logo.wander(this.now());
		const { timer, now } = this.#shown;
		const left = countdownOf(this.#shown, this.now());
		if (this.#counts && left === undefined) return this.show(this.#shown); // it ends by itself
		this.#countdown.textContent = left === undefined ? "" : clockOf(left);
		this.#countdown.toggleAttribute("data-days", left !== undefined && left >= 100 * 3600);
		const live = this.#element.dataset["screen"] === "live" && now !== null;
		const counts = timer && live && this.#view !== "congregation";
		this.#timer.tick(counts ? secondsLeft(timer, this.now()) : undefined);
		this.#logo.wander(this.now());
	}

	#fit(): void {
		for (const line of [this.#label, this.#message, this.#next, this.#logo.element]) {
			line.style.lineHeight = String(lineHeightFor(line, 1.2));
		}
		const larger = this.#view === "congregation" ? 1.25 : 1; // it has the screen for itself
		fitWords(this.#words, (this.#shown?.settings.fontScale ?? 100) * larger);
	}
}

function part(name: string, words?: string): HTMLElement {
	const element = document.createElement("div");
	element.className = name;
	element.dir = "auto";
	if (words !== undefined) element.textContent = words;
	return element;
}
