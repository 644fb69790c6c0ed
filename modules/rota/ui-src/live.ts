import type { ModuleUiContext } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import { applied, type Board, type BoardUpdate } from "./board";

/** The board, kept up to date by the channel. */
class LiveBoard {
	board: Board | undefined;
	#stop: (() => void) | undefined;
	#again: ReturnType<typeof setTimeout> | undefined;

	constructor(
		readonly context: ModuleUiContext,
		readonly changed: (board: Board) => void,
		readonly refused: () => void,
	) {}

	start(): void {
		this.#stop = this.context.realtime<Board, BoardUpdate>("board", {
			snapshot: (board) => this.#become(board),
			update: (update) => {
				if (this.board === undefined) return;
				const board = applied(this.board, update);
				if (board === undefined) this.#restart();
				else if (board !== this.board) this.#become(board);
			},
			state: (state) => {
				if (state === "refused") this.refused();
			},
		});
	}

	stop(): void {
		clearTimeout(this.#again);
		this.#again = undefined;
		this.#stop?.();
	}

	#become(board: Board): void {
		this.board = board;
		this.changed(board);
	}

	/** Requests a new snapshot, but not at the same moment as all other readers. */
	#restart(): void {
		if (this.#again !== undefined) return;
		this.#again = setTimeout(() => {
			this.stop();
			this.start();
		}, Math.random() * 300);
	}
}

/** The current board, and a function that fetches it again. */
export interface Followed {
	/** "refused" if it may not be read. A board that was shown once stays, however old it is. */
	readonly board: Board | "refused" | undefined;
	again(): void;
}

export function useBoard(context: ModuleUiContext): Followed {
	const [board, setBoard] = useState<Board | "refused">();
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		const live = new LiveBoard(context, setBoard, () => setBoard((shown) => shown ?? "refused"));
		live.start();
		return () => live.stop();
	}, [turn]);
	return { board, again: () => setTurn((before) => before + 1) };
}
