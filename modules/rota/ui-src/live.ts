import type { ModuleUiContext } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import { RotaApi } from "./api";
import type { Board } from "./board";
import { Follower } from "./follower";

/** The current board, and a function that fetches it again. */
export interface Followed {
	/** "refused" if it may not be read. A board that was shown once stays, however old it is. */
	readonly board: Board | "refused" | undefined;
	again(): void;
}

export function useBoard(context: ModuleUiContext): Followed {
	const [board, setBoard] = useState<Board | "refused">();
	const [follower, setFollower] = useState<Follower>();
	useEffect(() => {
		const api = new RotaApi(context);
		const following = new Follower({
			request: (outside) => api.board(outside),
			changed: setBoard,
			refused: () => setBoard((shown) => shown ?? "refused"),
		});
		setFollower(following);
		const end = context.realtime("board", following.reader);
		return () => {
			end();
			following.stop();
		};
	}, []);
	return { board, again: () => follower?.read() };
}
