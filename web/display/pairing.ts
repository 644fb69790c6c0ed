import { wait } from "../host/wait";
import type { DisplayPlatform } from "./platform";
import { show } from "./screen";

const pollEvery = 3_000; // milliseconds, with up to a second more
// After ten minutes without an approval. The server lets go of a pairing that was not polled for a minute
// when others need its room; browsers let the timers of a hidden page run only once a minute.
const pollSlowly = 30_000;
const eager = 600_000;
const retryAfter = 5_000;

/** How a pairing ended: with a credential, or with the need to request the descriptor again. */
export type Ending = { readonly is: "paired"; readonly label: string } | { readonly is: "look-again" };

/**
 * Shows a code until it is approved, and collects the credential. An expired code is replaced by a new one.
 * Another tab may collect the credential first: then the descriptor shows that.
 */
export class Pairer {
	readonly #began = performance.now();
	readonly #forever = new AbortController().signal;
	#expiresAt = 0; // of the code shown, by the monotonic clock

	constructor(
		readonly platform: DisplayPlatform,
		readonly removed: boolean,
	) {}

	async run(): Promise<Ending> {
		while (!navigator.cookieEnabled) {
			show({ is: "no-cookies" });
			await wait(retryAfter, this.#forever);
		}
		const before = await this.platform.pairing(); // repeats a claim whose response was lost
		if (before !== undefined && before !== "none" && before.state === "approved") {
			const ending = await this.#collect();
			if (ending) return ending;
		}
		for (;;) {
			const asked = await this.#ask();
			if (asked !== "shown") return { is: "look-again" };
			const ending = await this.#watch();
			if (ending) return ending;
		}
	}

	/** Requests a code until one is shown, or until there is no display to pair with. */
	async #ask(): Promise<"shown" | "gone"> {
		for (;;) {
			const answer = await this.platform.pair();
			if ("pairingCode" in answer) {
				this.#expiresAt = performance.now() + answer.remaining;
				show({ is: "unpaired", code: answer.pairingCode, removed: this.removed });
				return "shown";
			}
			if (answer.status === 404) return "gone";
			if (answer.status === 403) show({ is: "misplaced" });
			else if (performance.now() >= this.#expiresAt)
				show(answer.status === 0 ? { is: "offline" } : { is: "no-code", removed: this.removed });
			await wait(Math.max(answer.after, retryAfter), this.#forever, [window, "online"]);
		}
	}

	/** Follows the pairing that is shown. Undefined: a new code is needed. */
	async #watch(): Promise<Ending | undefined> {
		for (;;) {
			const slow = performance.now() - this.#began > eager;
			const pause = (slow ? pollSlowly : pollEvery) + Math.random() * 1_000;
			await wait(pause, this.#forever, [document, "visibilitychange"]);
			const pairing = await this.platform.pairing();
			if (pairing === undefined) {
				if (performance.now() >= this.#expiresAt) return undefined;
				continue; // no response: the code on the screen is still valid
			}
			if (pairing === "none") return { is: "look-again" };
			if (pairing.state === "approved") return this.#collect();
			if (pairing.state !== "pending") return undefined;
		}
	}

	async #collect(): Promise<Ending | undefined> {
		for (let tries = 0; ; tries++) {
			const answer = await this.platform.claim();
			if ("label" in answer) return { is: "paired", label: answer.label };
			if (answer.status === 404) return { is: "look-again" };
			if (answer.status === 409) return undefined;
			await wait(Math.min(1_000 * 2 ** tries, 30_000), this.#forever, [window, "online"]);
		}
	}
}
