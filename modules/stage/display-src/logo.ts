import { Mark } from "@narthex/kit";
import { h, render } from "preact";

/** The number of places of the logo. It moves every minute, so that it does not burn in. */
const places = 5;

export interface Logo {
	readonly element: HTMLElement;
	/** Sets the text below the mark. Without it that is the name of the house, once it is known. */
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
	let house = "";
	let given = "";
	const show = () => {
		const name = given || house;
		if (words.textContent !== name) words.textContent = name;
	};
	void houseName().then((name) => {
		house = name;
		show();
	});
	return {
		element,
		name: (said) => {
			given = said;
			show();
		},
		wander: (now) => {
			element.dataset["place"] = String(Math.floor(now / 60_000) % places);
		},
	};
}

/** The name of the house, which the platform returns to everybody; "" if it has none or the request fails. */
async function houseName(): Promise<string> {
	try {
		const response = await fetch("/api/v1/house", { credentials: "omit" });
		const { name } = (await response.json()) as { readonly name?: unknown };
		return response.ok && typeof name === "string" ? name : "";
	} catch {
		return "";
	}
}
