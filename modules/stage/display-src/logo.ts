import { Mark } from "@narthex/kit";
import { h, render } from "preact";

/** In how many places the logo may stand. It goes on each minute, so that no place of the panel burns in. */
const places = 5;

export interface Logo {
	readonly element: HTMLElement;
	/** What stands below the mark; without it the name of the house, as soon as it is known. */
	name(words: string): void;
	wander(now: number): void;
}

/** The mark and a name, on a screen that shows no words. */
export function logo(): Logo {
	const element = document.createElement("div");
	element.className = "logo";
	const mark = document.createElement("div");
	const words = document.createElement("div");
	words.dir = "auto";
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

/** The name of the house, which the platform tells everybody; "" when it has none or cannot be asked. */
async function houseName(): Promise<string> {
	try {
		const response = await fetch("/api/v1/house", { credentials: "omit" });
		const { name } = (await response.json()) as { readonly name?: unknown };
		return response.ok && typeof name === "string" ? name : "";
	} catch {
		return "";
	}
}
