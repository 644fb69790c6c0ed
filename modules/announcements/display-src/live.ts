import type { Context } from "@narthex/sdk";
import { applied, type Board, type BoardUpdate } from "./board";

/** The board, kept up to date by a channel. */
export class LiveBoard {
	board: Board | undefined;
	#stop: (() => void) | undefined;
	#again: ReturnType<typeof setTimeout> | undefined;
	#received = 0;

	constructor(
		readonly context: Context,
		readonly channel: string,
		/** Called after every change. */
		readonly changed: () => void,
	) {}

	start(): void {
		this.#stop = this.context.realtime<Board, BoardUpdate>(this.channel, {
			snapshot: (board) => {
				this.#received = performance.now();
				this.#become(board);
			},
			update: (update) => {
				if (this.board === undefined) return;
				const board = applied(this.board, update);
				if (board === undefined) this.#restart();
				else this.#become(board);
			},
		});
	}

	stop(): void {
		clearTimeout(this.#again);
		this.#again = undefined;
		this.#stop?.();
	}

	/**
	 * The server's time. Right after a start the platform's clock may still be the browser's own, and a small
	 * computer's clock can be wrong by years. Until it agrees with the snapshot's time, that time is used.
	 */
	now(): number {
		const told = this.context.serverNow();
		if (this.board === undefined) return told;
		const counted = Date.parse(this.board.serverTime) + performance.now() - this.#received;
		return Math.abs(told - counted) < 10_000 ? told : counted;
	}

	#become(board: Board): void {
		this.board = board;
		this.changed();
	}

	/** Requests a new snapshot, but not at the same moment as all other screens. */
	#restart(): void {
		if (this.#again !== undefined) return;
		this.#again = setTimeout(() => {
			this.stop();
			this.start();
		}, Math.random() * 500);
	}
}
