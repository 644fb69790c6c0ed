import { signal } from "@preact/signals";

/** What an administrator has set for the whole house. */
export interface House {
	readonly name: string | null;
	readonly language: string;
	/** The IANA name of the zone of every time; null: none is set, and the browser's is used. */
	readonly timeZone: string | null;
}

/** The house; undefined until the page knows it. The page sets it. */
export const kitHouse = signal<House>();

const zoneNow = (): string | undefined => kitHouse.value?.timeZone ?? undefined;

/** A browser that is older than a zone uses its own. */
function formIn(
	timeZone: string | undefined,
	language: string,
	options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat(language, { ...options, timeZone });
	} catch {
		return new Intl.DateTimeFormat(language, options);
	}
}

/**
 * Formats moments as times of the house. A component that uses the result renders again when the house gets
 * another zone.
 */
export function houseTime(
	language: string,
	options: Intl.DateTimeFormatOptions,
): (moment: string | number | Date) => string {
	let made: string | undefined;
	let form: Intl.DateTimeFormat | undefined; // creating one costs more than using it a hundred times
	return (moment) => {
		const zone = zoneNow();
		if (!form || made !== zone) form = formIn((made = zone), language, options);
		return form.format(new Date(moment));
	};
}

/** The format of the input fields, which is the Swedish one. */
const wall = { dateStyle: "short", timeStyle: "short" } as const;
const written = houseTime("sv", wall);

/** A moment on the house's clock, to the minute: "2026-12-06T10:00". */
export const localTime = (moment: string | number | Date): string =>
	Number.isNaN(new Date(moment).getTime()) ? "" : written(moment).replace(" ", "T");

const dayLength = 86_400_000;
const asUTC = (local: string): number => Date.parse(`${local}Z`);

/** A time on the house's clock with the offset that the zone has some days later, in ms since 1970. */
function shifted(local: string, days: number): number {
	const about = asUTC(local) + days * dayLength;
	return asUTC(local) - asUTC(localTime(about)) + about;
}

/**
 * The moment of a time on the house's clock, as RFC 3339: of a time that exists twice, the first. One that
 * the clock skips gets the offset before that. "" if it is no time.
 */
export function instantOf(local: string): string {
	const [first, second] = [shifted(local, -1), shifted(local, 1)];
	let at = localTime(second) === local && localTime(first) !== local ? second : first;
	if (local < "1900") at = asUTC(local); // a year that is still being typed
	return Number.isNaN(at) ? "" : new Date(at).toISOString();
}

/** Of a time that the clock skips in spring: the time as long before, and the one as long after. */
export function besideSkipped(local: string): readonly [string, string] | undefined {
	const minute = 60_000;
	const off = Math.abs(asUTC(localTime(instantOf(local))) - asUTC(local));
	return off > 10 * minute ? [localTime(shifted(local, 1)), localTime(shifted(local, -1))] : undefined;
}

/** The name of a zone with its offset: "Berlin, UTC+2"; without a zone, of the house's. */
export function zoneOf(at: Date, zone = zoneNow()): string {
	const form = formIn(zone, "en", { timeZoneName: "shortOffset" });
	const part = form.formatToParts(at).find(({ type }) => type === "timeZoneName");
	const name = form.resolvedOptions().timeZone;
	const city = name.slice(name.lastIndexOf("/") + 1).replaceAll("_", " ");
	return city === "UTC" ? city : `${city}, ${part?.value.replace("GMT", "UTC").replace("-", "\u2212")}`;
}

/** Whether a zone, or the house's, has another clock than this browser, in summer or in winter. */
export function differs(zone = zoneNow()): boolean {
	const clock = (timeZone?: string) => {
		const form = new Intl.DateTimeFormat("sv", { ...wall, timeZone });
		return [0, 182].map((days) => form.format(Date.now() + days * dayLength)).join();
	};
	try {
		return clock(zone) !== clock();
	} catch {
		return true; // a browser that is older than the zone
	}
}
