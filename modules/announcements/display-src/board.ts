/** A notice as screens get it. */
export interface BoardSlide {
	readonly id: string;
	readonly kind: string;
	readonly title: string;
	readonly body: string;
	readonly imageId: string | null;
	readonly payload: unknown;
	readonly startsAt: string | null;
	readonly endsAt: string | null;
	readonly position: number;
	readonly rev: number;
}

/** How an administrator wants the board to look. */
export interface Settings {
	readonly slideSeconds: number;
	readonly showClock: boolean;
	readonly transition: "fade" | "cut";
	readonly idleMessage: string;
}

/** The notice that every screen shows until then, whatever is due. */
export interface Shown {
	readonly id: string;
	readonly until: string;
}

/** Everything that is published and has not ended. */
export interface Board {
	readonly serverTime: string;
	readonly rev: number;
	readonly settings: Settings;
	readonly slides: readonly BoardSlide[];
	readonly show: Shown | null;
}

/** One change of the board. What is not in it stays. */
export interface BoardUpdate {
	readonly rev: number;
	readonly upsert?: readonly BoardSlide[];
	readonly remove?: readonly string[];
	readonly show?: Shown;
}

/** The kind that this module shows itself; every other is the id of a contribution. */
export const ownKind = "notice";

/**
 * The board after a change; the same one when the change is in it already. Undefined when a change in between
 * is missing, or the change says nothing but that there was one: then a new snapshot is needed.
 */
export function applied(board: Board, { rev, upsert, remove, show }: BoardUpdate): Board | undefined {
	if (rev <= board.rev) return board;
	if (rev > board.rev + 1 || (!upsert && !remove && !show)) return undefined;
	const gone = new Set([...(remove ?? []), ...(upsert ?? []).map(({ id }) => id)]);
	const slides = [...board.slides.filter(({ id }) => !gone.has(id)), ...(upsert ?? [])];
	slides.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
	return { ...board, rev, slides, show: show ?? board.show };
}
