import type { StreamReader } from "@narthex/sdk";
import type { Result } from "./api";
import { applied, type Board, type BoardUpdate, type Head } from "./board";

/**
 * Readers that hear of the same change request the board within this many milliseconds, not all at once. The
 * pause after a request that failed is as long, and twice as long after each further one.
 */
const spread = 500;
const longestPause = 30_000;
/** How many updates are kept for a board that is not there yet. It is requested again if there are more. */
const mostKept = 256;

export interface FollowerOptions {
	/** Requests the board, with what the newest snapshot says of other modules. */
	request(outside: string | undefined): Promise<Result<Board>>;
	/** Called with each new board. */
	changed(board: Board): void;
	/** The board may not be read. */
	refused(): void;
}

/**
 * Keeps a board current. The channel's snapshots only say which board is the newest one, so a connection that
 * is opened again costs little: the board is requested only if another one is shown, or if an update is
 * missing. Whatever the channel says during a request is kept until its answer is there, because the answer
 * may be older.
 */
export class Follower {
	readonly reader: StreamReader<Head, BoardUpdate> = {
		snapshot: (head) => this.#snapshot(head),
		update: (update) => this.#update(update),
		state: (now) => now === "refused" && this.options.refused(),
	};
	#board: Board | undefined;
	#head: Head | undefined;
	/** Set while the board is requested, or will be: what the channel has said since. */
	#kept: BoardUpdate[] | undefined;
	#timer: ReturnType<typeof setTimeout> | undefined;
	/** Of the request under way; undefined: of none. */
	#request: { readonly head: Head | undefined } | undefined;
	#failures = 0;
	#stopped = false;

	constructor(readonly options: FollowerOptions) {
		this.read();
	}

	/** Requests the board now. */
	read(): void {
		this.#kept ??= [];
		if (this.#request !== undefined || this.#stopped) return;
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#request = { head: this.#head };
		void this.options.request(this.#head?.outside).then((result) => this.#answered(result));
	}

	stop(): void {
		this.#stopped = true;
		clearTimeout(this.#timer);
	}

	#snapshot(head: Head): void {
		this.#head = head;
		if (this.#board === undefined) this.read();
		else if (this.#board.rev !== head.rev || this.#board.outside !== head.outside) this.#readSoon(spread);
	}

	#update(update: BoardUpdate): void {
		this.#keep(update);
		const next = this.#board && applied(this.#board, update);
		if (next !== undefined) this.#show(next);
		else if (this.#kept === undefined) {
			this.#readSoon(spread);
			this.#keep(update);
		}
	}

	/** Without the oldest of too many, the others do not follow the board, so that it is requested again. */
	#keep(update: BoardUpdate): void {
		if (this.#kept?.push(update) === mostKept) this.#kept.shift();
	}

	#readSoon(within: number): void {
		this.#kept ??= [];
		if (this.#request === undefined && !this.#stopped)
			this.#timer ??= setTimeout(() => this.read(), Math.random() * within);
	}

	#answered(result: Result<Board>): void {
		const asked = this.#request?.head;
		this.#request = undefined;
		if (this.#stopped) return;
		if (!result.ok) {
			if (result.why === "denied" || result.why === "gone") {
				this.#kept = undefined; // the stream says when it may be read again
				this.options.refused();
			} else this.#readSoon(Math.min(spread * 2 ** this.#failures++, longestPause));
			return;
		}
		this.#failures = 0;
		const { board, missing } = caughtUp(result.value, this.#kept ?? []);
		this.#show(board);
		const head = this.#head;
		// The answer to a request from before the snapshot may be older than the snapshot.
		const older =
			head !== undefined && head !== asked && (board.rev < head.rev || board.outside !== head.outside);
		if (missing || older) this.#readSoon(spread);
		else this.#kept = undefined;
	}

	#show(board: Board): void {
		if (board === this.#board) return;
		this.#board = board;
		this.options.changed(board);
	}
}

/** A board after the updates that it does not contain, and whether one in between is missing. */
function caughtUp(board: Board, updates: readonly BoardUpdate[]): { board: Board; missing: boolean } {
	for (const update of updates) {
		const next = applied(board, update);
		if (next === undefined) return { board, missing: true };
		board = next;
	}
	return { board, missing: false };
}
