import { localTime } from "@narthex/kit";

/** When and where alone a slide is shown between its start and its end. */
export interface Only {
	/** 1 is Monday, 7 Sunday; none: every day. */
	readonly weekdays: readonly number[];
	/** Times of the house's clock, "15:04"; null: the whole day. */
	readonly hours: { readonly from: string; readonly until: string } | null;
	/** With what the labels of the screens begin; none: all screens. */
	readonly screens: readonly string[];
}

/**
 * Whether a slide's weekday and hours are now, by the clock of the house. Hours that end before they begin
 * end on the next day, and belong to the day on which they begin. Where the clock is changed, they begin and
 * end by it as on every day: they are an hour longer or shorter, or left out if the clock skips them.
 */
export function isTime(only: Only | null | undefined, now: number): boolean {
	if (!only || (only.hours === null && only.weekdays.length === 0)) return true;
	const [day = "", time = ""] = localTime(now).split("T");
	const today = new Date(`${day}T00:00Z`).getUTCDay() || 7;
	const on = (weekday: number) => only.weekdays.length === 0 || only.weekdays.includes(weekday);
	if (only.hours === null) return on(today);
	const { from, until } = only.hours;
	if (from < until) return on(today) && from <= time && time < until;
	return (on(today) && from <= time) || (on(today === 1 ? 7 : today - 1) && time < until);
}

/**
 * Whether a slide is for the screen with this label: the label begins with one of the names, so "Foyer" is
 * for "Foyer", "foyer 2" and "Foyer, left", and not for "Foyers". A page that is no screen shows everything.
 */
export function isForScreen(only: Only | null | undefined, label: string | undefined): boolean {
	if (!only || only.screens.length === 0 || label === undefined) return true;
	const name = plain(label);
	return only.screens.some((screen) => {
		const begins = plain(screen);
		const rest = name.slice(begins.length);
		return name.startsWith(begins) && !(/\d$/.test(begins) ? /^[\p{L}\d]/u : /^\p{L}/u).test(rest);
	});
}

const plain = (name: string): string => name.normalize("NFC").trim().toLowerCase();
