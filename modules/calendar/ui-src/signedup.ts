import { type Context, moduleApi, type Text, type Words, words } from "@narthex/sdk";

/** What takes sign-ups: an event that happens once, or one date of a series. Times are those of the house. */
export interface SignUpDate {
	/** Of a series, which identifies it; "": the event happens once. */
	readonly date: string;
	readonly title: string;
	readonly start: string;
	readonly end: string;
	readonly allDay: boolean;
	/** It does not take place. */
	readonly off: boolean;
	/** It has begun. */
	readonly over: boolean;
	readonly people: number;
}

/** What is about to happen to those who have signed up. */
export type Deed = "cancel" | "move" | "change";

const english = {
	cancel: {
		one: "{count} person has signed up, and hears by mail that it is cancelled.",
		other: "{count} people have signed up, and hear by mail that it is cancelled.",
	},
	move: {
		one: "{count} person has signed up, and hears by mail of the new time.",
		other: "{count} people have signed up, and hear by mail of the new time.",
	},
	change: {
		one: "{count} person has signed up for one of these dates, and hears by mail what becomes of it.",
		other: "{count} people have signed up for these dates, and hear by mail what becomes of theirs.",
	},
};

type WordId = keyof typeof english;

const german: Record<WordId, Text> = {
	cancel: {
		one: "{count} Person ist angemeldet und erfährt per Mail, dass es ausfällt.",
		other: "{count} Personen sind angemeldet und erfahren per Mail, dass es ausfällt.",
	},
	move: {
		one: "{count} Person ist angemeldet und erfährt die neue Zeit per Mail.",
		other: "{count} Personen sind angemeldet und erfahren die neue Zeit per Mail.",
	},
	change: {
		one: "{count} Person ist zu einem dieser Termine angemeldet und erfährt per Mail, was daraus wird.",
		other: "{count} Personen sind zu diesen Terminen angemeldet und erfahren per Mail, was daraus wird.",
	},
};

const wordsOf = (context: Pick<Context, "locale">): Words<WordId> =>
	words(context, { en: english, de: german });

/** How many people that concerns, as a sentence for whoever does it; undefined: nobody. */
export const whoHears = (
	context: Pick<Context, "locale">,
	deed: Deed,
	count: number,
): string | undefined => (count === 0 ? undefined : wordsOf(context)(deed, { count }));

/** The same for a service; undefined, too, for whoever may not see the calendar. */
export async function whoHearsOfService(
	tools: Pick<Context, "api" | "locale">,
	service: string,
	deed: Deed,
): Promise<string | undefined> {
	const api = moduleApi(tools, {});
	const counted = await api.send<{ readonly people: number }>("GET", `/services/${service}/signups/count`);
	if (counted.ok) return whoHears(tools, deed, counted.value.people);
	if (counted.why === "denied") return undefined;
	throw new Error(`who has signed up: ${counted.why}`);
}

/** How many people hear of a change: those of the dates that it concerns and that are still to come. */
export const countOf = (dates: readonly SignUpDate[], concerns: (date: SignUpDate) => boolean): number =>
	dates
		.filter((one) => !one.off && !one.over && concerns(one))
		.reduce((count, { people }) => count + people, 0);
