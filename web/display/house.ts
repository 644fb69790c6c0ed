import { signal } from "@preact/signals";
import { wait } from "../host/wait";
import { asTag } from "./language";
import type { DisplayPlatform } from "./platform";
import { keep, kept } from "./storage";

const lookEvery = 60_000; // milliseconds

/** The language of the house as the server last sent it, stored for a start without a network. */
export const houseLanguage = signal(asTag(kept("localStorage", "language")));

/** Follows the language of the house. If the server does not respond, nothing changes. */
export class House {
	#looked: () => void = () => undefined;
	readonly #firstLook = new Promise<void>((resolve) => (this.#looked = resolve));

	constructor(readonly platform: DisplayPlatform) {}

	/**
	 * Waits until the language is known, or the request for it has failed, so that the first screen is not
	 * shown in two languages.
	 */
	async known(): Promise<void> {
		if (houseLanguage.peek() === undefined) await this.#firstLook;
	}

	async follow(): Promise<never> {
		const forever = new AbortController().signal;
		for (;;) {
			const told = asTag(await this.platform.houseLanguage());
			if (told !== undefined) {
				houseLanguage.value = told;
				keep("localStorage", "language", told);
			}
			this.#looked();
			await wait(lookEvery, forever, [window, "online"]);
		}
	}
}
