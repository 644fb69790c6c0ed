import type { Context } from "@narthex/sdk";
import type { Shown } from "./shown";

/** What screens show, according to the channel. */
export class LiveScreen {
	shown: Shown | undefined;
	#received = 0;
	#stop: (() => void) | undefined;

	constructor(
		readonly context: Pick<Context, "realtime" | "serverNow">,
		/** Called after every change. */
		readonly changed: (shown: Shown) => void,
	) {}

	start(): void {
		this.#stop = this.context.realtime<Shown, Shown>("screen", {
			snapshot: (shown) => this.#become(shown),
			// Several processes publish, so an older state may arrive after a newer one.
			update: (shown) => shown.rev >= (this.shown?.rev ?? 0) && this.#become(shown),
		});
	}

	stop(): void {
		this.#stop?.();
	}

	/**
	 * The server's time. Right after a start the platform's clock may still be the browser's own, and a small
	 * computer's clock can be wrong by years. Until it agrees with the time of the last message, that time is
	 * used.
	 */
	now(): number {
		const told = this.context.serverNow();
		if (this.shown === undefined) return told;
		const counted = Date.parse(this.shown.serverTime) + performance.now() - this.#received;
		return Math.abs(told - counted) < 10_000 ? told : counted;
	}

	#become(shown: Shown): void {
		this.#received = performance.now();
		this.shown = shown;
		this.changed(shown);
	}
}
