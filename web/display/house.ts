import { signal } from "@preact/signals";
import { wait } from "../host/wait";
import { kitHouse } from "../kit/house";
import { asTag } from "./language";
import type { DisplayPlatform } from "./platform";
import { keep, kept } from "./storage";

const lookEvery = 60_000; // milliseconds

/** The colour that the page's stylesheet has without a choice. */
const noAccent = "blue";

/** The language of the house as the server last sent it, stored for a start without a network. */
export const houseLanguage = signal(asTag(kept("localStorage", "language")));

/** The house's name, colour and zone are stored, too: a screen without a network is still the house's. */
const noZone = "-";
const lastZone = kept("localStorage", "zone");
if (lastZone !== "") {
	const timeZone = lastZone === noZone ? null : lastZone;
	const name = kept("localStorage", "name") || null;
	kitHouse.value = { name, language: houseLanguage.peek() ?? "en", timeZone };
}
wear(kept("localStorage", "accent"));

/** Gives the whole page the house's colour. Boards are dark, so it is the light shade of the colour. */
function wear(accent: string): void {
	const { dataset } = document.documentElement;
	dataset["theme"] = "dark";
	dataset["accent"] = accent || noAccent;
}

/** Follows the house. If the server does not respond, nothing changes. */
export class House {
	#looked: () => void = () => undefined;
	readonly #firstLook = new Promise<void>((resolve) => (this.#looked = resolve));

	constructor(readonly platform: DisplayPlatform) {}

	/**
	 * Waits until the house is known, or the request for it has failed, so that the first screen is not shown
	 * in two languages, or with the time of two zones.
	 */
	async known(): Promise<void> {
		if (houseLanguage.peek() === undefined || kitHouse.peek() === undefined) await this.#firstLook;
	}

	async follow(): Promise<never> {
		const forever = new AbortController().signal;
		for (;;) {
			const house = await this.platform.house();
			if (house !== undefined) {
				kitHouse.value = house;
				keep("localStorage", "zone", house.timeZone ?? noZone);
				keep("localStorage", "name", house.name ?? "");
				keep("localStorage", "accent", house.accent ?? "");
				wear(house.accent ?? "");
			}
			const told = asTag(house?.language);
			if (told !== undefined) {
				houseLanguage.value = told;
				keep("localStorage", "language", told);
			}
			this.#looked();
			await wait(lookEvery, forever, [window, "online"]);
		}
	}
}
