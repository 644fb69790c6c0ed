import type { StreamReader, StreamState } from "@narthex/sdk";
import type { ServerClock } from "./clock";
import { type Ending, connect } from "./connection";
import { type Leading, type News, share } from "./sharing";
import { backoff, wait } from "./wait";

/** How long a hidden page reads its streams, in milliseconds: it would keep the computer awake for nobody. */
const hiddenLimit = 60_000;
/** How long after a refusal the stream asks again, in milliseconds: a permission may be given again. */
const refusedFor = 60_000;

export interface StreamOptions {
	readonly url: string;
	/** Who reads: a stream is shared only among the browser's pages of the same one. */
	readonly identity: string;
	readonly reader: StreamReader;
	readonly clock: ServerClock;
	/** Called when the platform refuses the stream with 401, 403 or 404: what the page knows is outdated. */
	refused(): void;
	/** Pages close their streams while they are hidden; displays on a wall do not. */
	readonly pausesWhenHidden: boolean;
	/** Called for every event, after the reader: "snapshot", "update" or "heartbeat". */
	heard?(event: string): void;
	readonly signal: AbortSignal;
}

/**
 * Reads one channel until the returned function is called or the signal aborts. Every connection begins with
 * a snapshot, so no state is kept between two connections.
 */
export function openStream(options: StreamOptions): () => void {
	const stop = new AbortController();
	const end = () => stop.abort();
	options.signal.addEventListener("abort", end);
	if (options.signal.aborted) end();
	const stream = new Stream(options, stop.signal);
	void stream.run().finally(() => options.signal.removeEventListener("abort", end));
	return end;
}

class Stream {
	#state: StreamState = "connecting";
	#failures = 0;
	#hiddenSince: number | undefined;

	constructor(
		readonly options: StreamOptions,
		readonly stopped: AbortSignal,
	) {}

	async run(): Promise<void> {
		while (!this.stopped.aborted) {
			if (this.#mustPause()) {
				this.#become("paused");
				await wait(hiddenLimit, this.stopped, [document, "visibilitychange"]);
			} else await this.#read();
		}
	}

	/** Takes part in the channel until the page must pause. */
	async #read(): Promise<void> {
		const ended = new AbortController();
		const end = () => ended.abort();
		// Timers run late in hidden pages and on sleeping machines, so the clock is also checked when the
		// page becomes visible.
		const look = () => this.#mustPause() && end();
		const watch = setInterval(look, 1_000);
		document.addEventListener("visibilitychange", look);
		this.stopped.addEventListener("abort", end);
		await share({
			name: `narthex-stream ${this.options.identity} ${this.options.url}`,
			hear: (news) => this.#hear(news),
			lead: (leading) => this.#lead(leading),
			signal: ended.signal,
		});
		clearInterval(watch);
		document.removeEventListener("visibilitychange", look);
		this.stopped.removeEventListener("abort", end);
	}

	/** Keeps a connection until this page does not lead any more. */
	async #lead(leading: Leading): Promise<void> {
		const { tell, joins, signal } = leading;
		while (!signal.aborted) {
			const ending: Ending = await connect(this.options.url, leading);
			if (signal.aborted) return;
			switch (ending) {
				case "turn":
					break;
				case "asked":
					await wait(Math.random() * 2_000, signal, [joins, "join"]);
					break;
				case "refused":
					tell({ state: "refused" });
					await wait(refusedFor * (0.5 + Math.random() / 2), signal, [joins, "join"]);
					break;
				case "failed":
					tell({ state: "waiting" });
					await wait(
						backoff(this.#failures++, 3_000, 30_000),
						signal,
						[joins, "join"],
						[window, "online"],
						[document, "visibilitychange"],
					);
			}
		}
	}

	#mustPause(): boolean {
		if (!this.options.pausesWhenHidden || document.visibilityState === "visible") {
			this.#hiddenSince = undefined;
			return false;
		}
		this.#hiddenSince ??= performance.now();
		return performance.now() - this.#hiddenSince >= hiddenLimit;
	}

	#become(state: StreamState): void {
		if (this.#state === state || this.stopped.aborted) return;
		this.#state = state;
		this.#tell(() => this.options.reader.state?.(state));
	}

	/** Calls a reader. An error in it is reported to the page, and the stream continues. */
	#tell(call: () => void): void {
		if (this.stopped.aborted) return;
		try {
			call();
		} catch (error) {
			reportError(error);
		}
	}

	/** Takes news of the channel. It throws if an event is not the expected JSON. */
	#hear(news: News): void {
		if ("state" in news) {
			this.#become(news.state);
			if (news.state === "refused") this.options.refused();
			return;
		}
		const value: unknown = JSON.parse(news.data);
		switch (news.event) {
			case "snapshot":
				this.#failures = 0;
				this.#tell(() => this.options.reader.snapshot(value));
				this.#become("live");
				break;
			case "update":
				this.#tell(() => this.options.reader.update?.(value));
				break;
			case "heartbeat":
				this.options.clock.observe((value as { serverTime: string }).serverTime);
				break;
		}
		this.options.heard?.(news.event);
	}
}
