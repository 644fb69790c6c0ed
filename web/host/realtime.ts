import type { StreamReader, StreamState } from "@narthex/sdk";
import type { ServerClock } from "./clock";
import { EventStreamParser } from "./eventstream";
import { backoff, wait } from "./wait";

/**
 * How long to wait for the first snapshot, and later for any byte, in milliseconds. The server sends a
 * heartbeat every 15 s.
 */
const snapshotLimit = 15_000;
const silenceLimit = 45_000;
/**
 * How long a hidden page keeps its streams, in milliseconds: a browser opens only six connections to one
 * origin.
 */
const hiddenLimit = 60_000;
/** How long after a refusal the stream asks again, in milliseconds: a permission may be given again. */
const refusedFor = 60_000;
/** The platform's own refusals. */
const refusals: readonly unknown[] = ["NOT_FOUND", "PERMISSION_DENIED", "AUTHENTICATION_REQUIRED"];

export interface StreamOptions {
	readonly url: string;
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
 * Reads one channel until the returned function is called or the signal aborts. It uses fetch, because
 * EventSource does not report a 401, 403 or 503. Every connection begins with a snapshot, so no state is kept
 * between two connections.
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

type Ending = "refused" | "failed" | "asked";

class Stream {
	#state: StreamState = "connecting";
	#failures = 0;

	constructor(
		readonly options: StreamOptions,
		readonly stopped: AbortSignal,
	) {}

	async run(): Promise<void> {
		while (!this.stopped.aborted) {
			if (this.#mustPause()) {
				this.#become("paused");
				await wait(hiddenLimit, this.stopped, [document, "visibilitychange"]);
				continue;
			}
			const ending = await this.#connect();
			if (this.stopped.aborted) return;
			if (ending === "refused") {
				this.#become("refused");
				this.options.refused();
				await wait(refusedFor * (0.5 + Math.random() / 2), this.stopped);
				continue;
			}
			if (this.#mustPause()) continue;
			if (ending === "asked") {
				await wait(Math.random() * 2_000, this.stopped);
				continue;
			}
			this.#become("waiting");
			await wait(
				backoff(this.#failures++, 3_000, 30_000),
				this.stopped,
				[window, "online"],
				[document, "visibilitychange"],
			);
		}
	}

	#hiddenSince: number | undefined;

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

	/** One connection, from the request to its end. */
	async #connect(): Promise<Ending> {
		const connection = new AbortController();
		const cut = () => connection.abort();
		let lastByte = performance.now();
		let limit = snapshotLimit;
		// Timers run late in hidden pages and on sleeping machines, so the clock is also checked when the
		// page becomes visible.
		const look = () => {
			if (performance.now() - lastByte >= limit || this.#mustPause()) cut();
		};
		const watch = setInterval(look, 1_000);
		this.stopped.addEventListener("abort", cut);
		document.addEventListener("visibilitychange", look);
		try {
			const response = await fetch(this.options.url, {
				credentials: "include",
				cache: "no-store",
				headers: { Accept: "text/event-stream" },
				signal: connection.signal,
			});
			if (await isRefusal(response)) return "refused";
			if (!isStream(response) || response.body === null) return "failed";
			const parser = new EventStreamParser();
			const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
			for (;;) {
				const { done, value } = await text.read();
				if (done) return "failed";
				lastByte = performance.now();
				for (const { event, data } of parser.push(value)) {
					if (event === "reconnect") return "asked";
					if (event === "snapshot") limit = silenceLimit;
					this.#take(event, data);
				}
			}
		} catch {
			return "failed"; // no network, aborted by the check above, or not the expected JSON
		} finally {
			clearInterval(watch);
			this.stopped.removeEventListener("abort", cut);
			document.removeEventListener("visibilitychange", look);
			cut();
		}
	}

	#take(event: string, data: string): void {
		const value: unknown = JSON.parse(data);
		switch (event) {
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
		this.options.heard?.(event);
	}
}

/** Whether the platform itself refuses. The page of a proxy or of a captive portal counts as no network. */
async function isRefusal(response: Response): Promise<boolean> {
	if (response.ok || !hasType(response, "application/json")) return false;
	const { code } = (await response.json()) as { readonly code?: unknown };
	return refusals.includes(code);
}

const isStream = (response: Response): boolean => response.ok && hasType(response, "text/event-stream");

const hasType = (response: Response, type: string): boolean =>
	response.headers.get("Content-Type")?.split(";")[0]?.trim() === type;
