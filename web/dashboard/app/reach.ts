import type { StreamState } from "@narthex/sdk";
import { computed, signal } from "@preact/signals";
import type { StreamWatch } from "../../host/context";
import { slowRequests } from "../../host/slow";

/** How long a stream may be interrupted before the page says so, in milliseconds. */
const patience = 5_000;

/** Whether the page has a connection to the server: what is wrong is said once for the whole page. */
export class Reach {
	/** undefined while all is well */
	readonly problem = computed(() =>
		this.#lost.value ? "connectionLost" : slowRequests.value > 0 ? "stillWaiting" : undefined,
	);
	readonly #lost = signal(false);
	readonly #streams = new Map<object, StreamState>();
	#timer: ReturnType<typeof setTimeout> | undefined;

	/** again is called when a stream begins again or is refused: the platform may have other modules by then. */
	constructor(readonly again: () => unknown) {
		addEventListener("offline", () => this.#look());
		addEventListener("online", () => this.#look());
	}

	/** Follows the streams of a module until the signal aborts. */
	watch(signal: AbortSignal): StreamWatch {
		const own = new Set<object>();
		let snapshots = 0;
		signal.addEventListener("abort", () => own.forEach((stream) => this.#changed(stream, undefined)));
		return {
			changed: (stream, state) => {
				own.add(stream);
				this.#changed(stream, state);
				if (state === "refused") this.again();
			},
			heard: (event) => {
				if (event === "snapshot" && ++snapshots > own.size) this.again();
			},
		};
	}

	#changed(stream: object, state: StreamState | undefined): void {
		if (state === undefined) this.#streams.delete(stream);
		else this.#streams.set(stream, state);
		this.#look();
	}

	#look(): void {
		const states = [...this.#streams.values()];
		const lost = states.includes("waiting") || (states.length > 0 && !navigator.onLine);
		if (!lost) {
			clearTimeout(this.#timer);
			this.#timer = undefined;
			this.#lost.value = false;
		} else this.#timer ??= setTimeout(() => (this.#lost.value = true), patience);
	}
}
