import type { Board, BoardSlide } from "./board";
import { isTime } from "./only";

/** What the board shows in one period of slideSeconds. */
export interface Turn {
	readonly slide: BoardSlide | undefined;
	/** The number of the period, counted from 1970, so that all screens agree without communication. */
	readonly slot: number;
}

/** The slides that are due at a time, in their order. */
export function due(board: Board, now: number, showable: (slide: BoardSlide) => boolean): BoardSlide[] {
	return board.slides.filter(
		(slide) =>
			(slide.startsAt === null || Date.parse(slide.startsAt) <= now) &&
			(slide.endsAt === null || Date.parse(slide.endsAt) > now) &&
			isTime(slide.only, now) &&
			showable(slide),
	);
}

/** The slide that is shown by hand now, instead of the due ones. */
export function shownNow(board: Board, now: number): BoardSlide | undefined {
	const { show } = board;
	if (show === null || Date.parse(show.until) <= now) return undefined;
	return board.slides.find(
		({ id, endsAt }) => id === show.id && (endsAt === null || Date.parse(endsAt) > now),
	);
}

/**
 * The slide for a time. A change of the board during a period does not replace the shown slide while it is
 * still due.
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
