import { live, type ModuleUiContext } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import { applied, type Board, type BoardUpdate } from "./board";

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
		const followed = live<Board, BoardUpdate>(context, "board", {
			apply: applied,
			changed: setBoard,
			refused: () => setBoard((shown) => shown ?? "refused"),
		});
		return () => followed.stop();
	}, [turn]);
	return { board, again: () => setTurn((before) => before + 1) };
}
