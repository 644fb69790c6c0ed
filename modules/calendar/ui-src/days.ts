/**
 * Days and local times of the house, as texts: "2026-11-22", "2026-11-22T10:00". They have no zone, so this
 * browser's zone has no effect on them.
 */
const dayLength = 86_400_000;

const momentOf = (text: string): number => Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`);
const dayAt = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

export const dayOf = (text: string): string => text.slice(0, 10);
export const timeOf = (text: string): string => text.slice(11);

export const plusDays = (day: string, count: number): string => dayAt(momentOf(day) + count * dayLength);

export const daysBetween = (from: string, until: string): number =>
	Math.round((momentOf(until) - momentOf(from)) / dayLength);

/** The same day of another month, or the last day of that month. */
export function plusMonths(day: string, count: number): string {
	const date = new Date(momentOf(day));
	const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + count];
	const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
	return dayAt(Date.UTC(year, month, Math.min(date.getUTCDate(), last)));
}

/** 0 is Monday. */
export const weekdayOf = (day: string): number => (new Date(momentOf(day)).getUTCDay() + 6) % 7;

export const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** The first day of a week; weeks begin with Monday (0) or Sunday (6). */
export const firstOfWeek = (day: string, begins: number): string =>
	plusDays(day, -((weekdayOf(day) - begins + 7) % 7));

/** Consecutive days. */
export const run = (from: string, count: number): readonly string[] =>
	Array.from({ length: count }, (_, at) => plusDays(from, at));

/** The weeks that contain a day of a month. */
export function weeksOf(month: string, begins: number): readonly (readonly string[])[] {
	const first = firstOfWeek(firstOfMonth(month), begins);
	const past = plusMonths(firstOfMonth(month), 1);
	const count = Math.ceil(daysBetween(first, past) / 7);
	return Array.from({ length: count }, (_, at) => run(plusDays(first, 7 * at), 7));
}

/** A time plus minutes. */
export const plusMinutes = (time: string, minutes: number): string =>
	new Date(momentOf(time) + minutes * 60_000).toISOString().slice(0, 16);

export const minutesBetween = (from: string, until: string): number =>
	(momentOf(until) - momentOf(from)) / 60_000;

/** The local time of a zone at a moment (in ms since 1970). The Swedish format is that of the texts here. */
export const clockOf = (zone: string, moment: number): string =>
	new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "short" })
		.format(moment)
		.replace(" ", "T");

/** A language's formats of days and times. */
export class Forms {
	readonly #forms = new Map<string, Intl.DateTimeFormat>();
	constructor(readonly language: string) {}

	/** Creating a formatter costs more than using it a hundred times, so each is created once. */
	#form(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
		const key = JSON.stringify(options);
		const form =
			this.#forms.get(key) ?? new Intl.DateTimeFormat(this.language, { ...options, timeZone: "UTC" });
		this.#forms.set(key, form);
		return form;
	}
	write(text: string, options: Intl.DateTimeFormatOptions): string {
		return this.#form(options).format(momentOf(text));
	}
	month = (day: string): string => this.write(day, { month: "long", year: "numeric" });
	day = (day: string): string => this.write(day, { weekday: "short", day: "numeric", month: "short" });
	dayAndYear = (day: string): string => this.write(day, { day: "numeric", month: "short", year: "numeric" });
	longDay = (day: string): string =>
		this.write(day, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
	date = (day: string): string => this.write(day, { day: "numeric", month: "long", year: "numeric" });
	/** A short time: with a 12-hour clock, full hours have no minutes. */
	shortTime = (text: string): string => {
		const full = this.time(text);
		return text.endsWith(":00") && /[^\d:.\s]/.test(full) ? this.write(text, { hour: "numeric" }) : full;
	};
	time = (text: string): string => this.write(text, { hour: "numeric", minute: "2-digit" });
	times = (from: string, until: string): string =>
		this.#form({ hour: "numeric", minute: "2-digit" }).formatRange(momentOf(from), momentOf(until));
	weekday = (day: string, width: "long" | "short" = "long"): string => this.write(day, { weekday: width });
	monthName = (day: string): string => this.write(day, { month: "long" });
}
