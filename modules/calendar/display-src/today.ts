/** One date of an event, as screens get it. start and end are local times of the house. */
export interface Occurrence {
	readonly event: string;
	readonly date: string;
	readonly title: string;
	readonly start: string;
	readonly end: string;
	readonly startsAt: string;
	readonly endsAt: string;
	readonly allDay: boolean;
	readonly rooms: readonly number[];
}

/** The rest of today, and tomorrow. */
export interface Today {
	readonly serverTime: string;
	readonly rev: number;
	readonly zone: string;
	readonly rooms: readonly { readonly id: number; readonly name: string }[];
	readonly occurrences: readonly Occurrence[];
}

/** The current events in a room, and the next ones on the same day. */
export interface Door {
	/** "" for events without a room. */
	readonly name: string;
	readonly now: readonly Occurrence[];
	readonly next: readonly Occurrence[];
}

/** How many coming events of a room are shown. */
const nextShown = 2;

/** The day in the house's zone. */
export const dayAt = (moment: number, zone: string): string =>
	new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short" }).format(moment);

/** All rooms, and at the end the events without a room, if there are any. */
export function doorsAt({ rooms, occurrences, zone }: Today, moment: number): readonly Door[] {
	const today = dayAt(moment, zone);
	const doorOf = (name: string, mine: readonly Occurrence[]): Door => ({
		name,
		now: mine.filter((one) => Date.parse(one.startsAt) <= moment && moment < Date.parse(one.endsAt)),
		next: mine
			.filter((one) => Date.parse(one.startsAt) > moment && one.start.slice(0, 10) === today)
			.slice(0, nextShown),
	});
	const doors = rooms.map(({ id, name }) =>
		doorOf(
			name,
			occurrences.filter((one) => one.rooms.includes(id)),
		),
	);
	const elsewhere = doorOf(
		"",
		occurrences.filter((one) => one.rooms.length === 0),
	);
	return elsewhere.now.length + elsewhere.next.length > 0 ? [...doors, elsewhere] : doors;
}
