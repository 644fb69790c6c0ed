import type { Only } from "./only";

/** A slide as screens get it. */
export interface BoardSlide {
	readonly id: string;
	readonly kind: string;
	readonly title: string;
	readonly body: string;
	readonly imageId: string | null;
	readonly payload: unknown;
	readonly startsAt: string | null;
	readonly endsAt: string | null;
	readonly only?: Only | null;
	readonly position: number;
	readonly rev: number;
}

/** An administrator's settings for the board. */
export interface Settings {
	readonly slideSeconds: number;
	readonly showClock: boolean;
	readonly transition: "fade" | "cut";
	readonly idleMessage: string;
}

/** The slide that every screen shows until then, instead of the due ones. */
export interface Shown {
	readonly id: string;
	readonly until: string;
}

/** All published slides that have not ended. */
export interface Board {
	readonly serverTime: string;
	readonly rev: number;
	readonly settings: Settings;
	readonly slides: readonly BoardSlide[];
	readonly show: Shown | null;
}

/** One change of the board. Everything that is not in it stays the same. */
export interface BoardUpdate {
	readonly rev: number;
	readonly upsert?: readonly BoardSlide[];
	readonly remove?: readonly string[];
	readonly show?: Shown;
}

/** The kind that this module shows itself. Every other kind is the id of a contribution. */
export const ownKind = "notice";

/**
 * Returns the board after a change; the same board if it already contains the change. Returns undefined if a
 * change in between is missing, or if the update contains only a rev. Then a new snapshot is needed.
 */
export function applied(board: Board, { rev, upsert, remove, show }: BoardUpdate): Board | undefined {
	if (rev <= board.rev) return board;
	if (rev > board.rev + 1 || (!upsert && !remove && !show)) return undefined;
	const gone = new Set([...(remove ?? []), ...(upsert ?? []).map(({ id }) => id)]);
	const slides = [...board.slides.filter(({ id }) => !gone.has(id)), ...(upsert ?? [])];
	slides.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
	return { ...board, rev, slides, show: show ?? board.show };
}
