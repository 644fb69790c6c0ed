import { signal } from "@preact/signals";
import { wait } from "../host/wait";
import { asTag } from "./language";
import type { DisplayPlatform } from "./platform";
import { keep, kept } from "./storage";

const lookEvery = 60_000; // milliseconds

/** The language of the house as the server last said it, kept for a start without a network. */
export const houseLanguage = signal(asTag(kept("localStorage", "language")));

/** Follows the language of the house. A server that does not say it changes nothing. */
export class House {
	#looked: () => void = () => undefined;
	readonly #firstLook = new Promise<void>((resolve) => (this.#looked = resolve));

	constructor(readonly platform: DisplayPlatform) {}

	/** Waits until a language is known, or could not be learned: what is shown first need not be shown twice. */
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
