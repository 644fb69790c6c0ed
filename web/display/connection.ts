import { signal } from "@preact/signals";
import type { StreamState } from "@narthex/sdk";
import type { ServerClock } from "../host/clock";
import type { StreamWatch } from "../host/context";

/** What the indicator shows; undefined while everything works. since: the server's time of the last event. */
export type Notice =
	| { readonly is: "reconnecting" | "recovering"; readonly since: number | undefined }
	| { readonly is: "back" }
	| { readonly is: "leave-on" };

const noticeAfter = 10_000; // milliseconds without a connection
const staleAfter = 30_000;
const backFor = 3_000;

/**
 * Whether the display shows the server's current state. Only a snapshot proves that: a display is connected
 * when all its streams are live or, if it has none, when the server responded to the request for its
 * descriptor. Its methods may be called at any time.
 */
export class Connection implements StreamWatch {
	readonly notice = signal<Notice | undefined>(undefined);
	/** The content is outdated, and is dimmed. */
	readonly stale = signal(false);

	#streams = new Map<object, StreamState>();
	#reachable = true;
	#broken = false;
	#lostAt: number | undefined;
	#backAt: number | undefined;
	#leaveOnUntil = 0;
	/** When the last event arrived, by the server's clock. */
	#heardAt: number | undefined;
	/** When the server last sent an update, by the monotonic clock. */
	lastUpdate = performance.now();

	constructor(
		readonly clock: ServerClock,
		/** Called when a lost connection is back. */
		readonly returned: () => void,
	) {
		setInterval(() => this.#look(), 1_000);
	}

	changed(stream: object, state: StreamState | undefined): void {
		if (state === undefined) this.#streams.delete(stream);
		else this.#streams.set(stream, state);
		this.#look();
	}

	heard(event: string): void {
		if (this.clock.known) this.#heardAt = this.clock.now();
		if (event === "update") this.lastUpdate = performance.now();
	}

	/** Whether the server responded to the last request for the descriptor. */
	reached(reachable: boolean): void {
		this.#reachable = reachable;
		if (reachable && this.#streams.size === 0) this.#heardAt = this.clock.now();
		this.#look();
	}

	/** Whether the module has thrown. Its last frame is shown until it is mounted again. */
	broken(broken: boolean): void {
		this.#broken = broken;
		this.#look();
	}

	/** Nothing is mounted any more. */
	clear(): void {
		this.#streams.clear();
		this.#broken = false;
		this.#lostAt = undefined;
		this.#heardAt = undefined;
		this.#look();
	}

	/** Asks people to leave the screen on, for a while. */
	leaveOn(milliseconds: number): void {
		this.#leaveOnUntil = performance.now() + milliseconds;
	}

	get lost(): boolean {
		const states = [...this.#streams.values()];
		if (this.#broken) return true;
		return states.length === 0 ? !this.#reachable : states.some((state) => state !== "live");
	}

	#look(): void {
		const now = performance.now();
		if (this.lost) {
			this.#lostAt ??= now;
			this.#backAt = undefined;
		} else if (this.#lostAt !== undefined) {
			if (now - this.#lostAt >= noticeAfter) this.#backAt = now;
			this.#lostAt = undefined;
			this.returned();
		}
		const lostFor = this.#lostAt === undefined ? 0 : now - this.#lostAt;
		this.stale.value = lostFor >= staleAfter;
		const next = this.#noticeNow(now, lostFor);
		if (JSON.stringify(next) !== JSON.stringify(this.notice.peek())) this.notice.value = next;
	}

	#noticeNow(now: number, lostFor: number): Notice | undefined {
		if (lostFor >= noticeAfter)
			return { is: this.#broken ? "recovering" : "reconnecting", since: this.#heardAt };
		if (this.#backAt !== undefined && now - this.#backAt < backFor) return { is: "back" };
		if (now < this.#leaveOnUntil) return { is: "leave-on" };
		return undefined;
	}
}
