import { signal } from "@preact/signals";
import type { StreamState } from "@narthex/sdk";
import type { ServerClock } from "../host/clock";
import type { StreamWatch } from "../host/context";

/** What the quiet indicator says; undefined when all is well. since: the server's time of the last event. */
export type Notice =
	| { readonly is: "reconnecting" | "recovering"; readonly since: number | undefined }
	| { readonly is: "back" }
	| { readonly is: "leave-on" };

const noticeAfter = 10_000; // milliseconds of trouble
const staleAfter = 30_000;
const backFor = 3_000;

/**
 * Whether what is shown is what the server has. Only a snapshot means that it is: a display is connected when
 * all its streams are live, or, when it has none, when its descriptor was answered. Safe to call at any time.
 */
export class Connection implements StreamWatch {
	readonly notice = signal<Notice | undefined>(undefined);
	/** What is shown is old: it is made to look so. */
	readonly stale = signal(false);

	#streams = new Map<object, StreamState>();
	#reachable = true;
	#broken = false;
	#lostAt: number | undefined;
	#backAt: number | undefined;
	#leaveOnUntil = 0;
	/** When anything was heard last, by the server's time. */
	#heardAt: number | undefined;
	/** When the server sent an update last, by the monotonic clock. */
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

	/** Whether the last question for the descriptor was answered. */
	reached(reachable: boolean): void {
		this.#reachable = reachable;
		if (reachable && this.#streams.size === 0) this.#heardAt = this.clock.now();
		this.#look();
	}

	/** Whether the module has thrown, and its last frame is shown until it is mounted again. */
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
