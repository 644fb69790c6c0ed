import { signal } from "@preact/signals";
import { wait } from "../host/wait";
import { kitHouse } from "../kit/house";
import { asTag } from "./language";
import type { DisplayPlatform } from "./platform";
import { keep, kept } from "./storage";

const lookEvery = 60_000; // milliseconds

/** The language of the house as the server last sent it, stored for a start without a network. */
export const houseLanguage = signal(asTag(kept("localStorage", "language")));

/** The house's zone is stored, too, so that a screen without a network shows the house's time. */
const noZone = "-";
const lastZone = kept("localStorage", "zone");
if (lastZone !== "") {
	const timeZone = lastZone === noZone ? null : lastZone;
	kitHouse.value = { name: null, language: houseLanguage.peek() ?? "en", timeZone };
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
