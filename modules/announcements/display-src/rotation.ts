import type { Board, BoardSlide } from "./board";

/** What the board shows in one stretch of slideSeconds. */
export interface Turn {
	readonly slide: BoardSlide | undefined;
	/** Which stretch of time it is, counted from 1970, so that all screens agree without asking each other. */
	readonly slot: number;
}

/** The notices that are to be seen at a time, in their order. */
export function due(board: Board, now: number, showable: (slide: BoardSlide) => boolean): BoardSlide[] {
	return board.slides.filter(
		(slide) =>
			(slide.startsAt === null || Date.parse(slide.startsAt) <= now) &&
			(slide.endsAt === null || Date.parse(slide.endsAt) > now) &&
			showable(slide),
	);
}

/** The notice that is to be shown now, whatever is due. */
export function shownNow(board: Board, now: number): BoardSlide | undefined {
	const { show } = board;
	if (show === null || Date.parse(show.until) <= now) return undefined;
	return board.slides.find(
		({ id, endsAt }) => id === show.id && (endsAt === null || Date.parse(endsAt) > now),
	);
}

/**
 * What is shown at a time. A change of the board in the middle of a stretch does not take away what is shown,
 * as long as it is still due.
 */
export function turnAt(
	board: Board,
	now: number,
	before: Turn | undefined,
	showable: (slide: BoardSlide) => boolean = () => true,
): Turn {
	const slot = Math.floor(now / (board.settings.slideSeconds * 1000));
	const forced = shownNow(board, now);
	if (forced && showable(forced)) return { slide: forced, slot };
	const all = due(board, now, showable);
	const kept = before?.slot === slot ? all.find(({ id }) => id === before.slide?.id) : undefined;
	return { slide: kept ?? all[slot % Math.max(all.length, 1)], slot };
}
