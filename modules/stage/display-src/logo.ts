import { Mark } from "@narthex/kit";
import { h, render } from "preact";

/** The number of places of the logo. It moves every minute, so that it does not burn in. */
const places = 5;

export interface Logo {
	readonly element: HTMLElement;
	/** Sets the text below the mark. */
	name(words: string): void;
	wander(now: number): void;
}

/** The mark and a name, for a screen that shows no words. */
export function logo(): Logo {
	const element = document.createElement("div");
	element.className = "logo";
	const mark = document.createElement("div");
	const words = document.createElement("div");
	words.dir = "auto";
	words.translate = false;
	element.append(mark, words);
	render(h(Mark, { height: 26 }), mark);
	return {
		element,
		name: (said) => {
			if (words.textContent !== said) words.textContent = said;
		},
		wander: (now) => {
			element.dataset["place"] = String(Math.floor(now / 60_000) % places);
		},
	};
}
