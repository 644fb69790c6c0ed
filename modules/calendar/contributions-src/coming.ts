/** A date of an event, as the calendar's own route returns it. Times are local times of the house. */
export interface Coming {
	readonly title: string;
	readonly start: string;
	readonly end: string;
	readonly endsAt: string;
	readonly allDay: boolean;
	readonly rooms: readonly number[];
}

/** A slide has 8 KiB for all of its events. */
const maxWhere = 80;

interface Window {
	readonly today: string;
	readonly rooms: readonly { readonly id: number; readonly name: string }[];
	readonly occurrences: readonly Coming[];
}

/** One event as cards and slides show it. */
export interface Next {
	readonly title: string;
	readonly start: string;
	readonly endsAt: string;
	readonly allDay: boolean;
	readonly where: string;
}

/** The next events, and the day that it is in the house. */
export interface ComingUp {
	readonly today: string;
	readonly events: readonly Next[];
}

/**
 * Fetches the next events: at most this many, within this many days. Undefined: this person may not see them.
 */
export async function nextOf(
	api: (path: string) => Promise<Response>,
	now: number,
	most: number,
	days: number,
): Promise<ComingUp | undefined> {
	const day = (offset: number) => new Date(now + offset * 86_400_000).toISOString().slice(0, 10);
	// the house's day may differ from the day in UTC
	const response = await api(`/occurrences?from=${day(-1)}&to=${day(days + 1)}`);
	if (response.status === 403) return undefined;
	if (!response.ok) throw new Error(`GET /occurrences: ${response.status}`);
	const { today, rooms, occurrences } = (await response.json()) as Window;
	const events = occurrences
		.filter(({ endsAt }) => Date.parse(endsAt) > now)
		.slice(0, most)
		.map(({ title, start, endsAt, allDay, rooms: needed }) => ({
			...{ title, start, endsAt, allDay },
			where: rooms
				.filter(({ id }) => needed.includes(id))
				.map(({ name }) => name)
				.join(", ")
				.slice(0, maxWhere),
		}));
	return { today, events };
}

/** The start of an event in a language's format. */
export function beginOf({ start, allDay }: Pick<Next, "start" | "allDay">, locale: string): string {
	const time: Intl.DateTimeFormatOptions = allDay ? {} : { hour: "numeric", minute: "2-digit" };
	const form = new Intl.DateTimeFormat(locale, {
		...{ weekday: "short", day: "numeric", month: "short", timeZone: "UTC" },
		...time,
	});
	return form.format(Date.parse(allDay ? `${start}T00:00Z` : `${start}Z`));
}
