import { signal } from "@preact/signals";
import { type Catalogue, type Entries, type Fillings, type Locale, say } from "./catalogue";
import { english } from "./english";
import { german } from "./german";
import { standard } from "./language";

/** The current language. The preferences set it. */
export const locale = signal<Locale>(standard);

/** Returns a screen's texts by id; also holds their catalogue. */
export interface Words<English extends Entries> {
	(id: keyof English, fillings?: Fillings): string;
	readonly catalogue: Catalogue<English>;
}

/**
 * The texts of a screen, from its own catalogue, in the current language. A component that uses them
 * re-renders when the language changes.
 */
export function wordsOf<const English extends Entries>(catalogue: Catalogue<English>): Words<English> {
	const words = (id: keyof English, fillings?: Fillings) => say(catalogue, locale.value, id, fillings);
	return Object.assign(words, { catalogue });
}

/** The texts that all screens share. */
export const t = wordsOf({ en: english, de: german });

/** A time of day in the format of the language. */
export const clockTime = (date: Date): string =>
	new Intl.DateTimeFormat(locale.value.tag, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(
		date,
	);

/** A time from the server, in the reader's time zone and the format of the language. */
export const moment = (at: string): string =>
	new Intl.DateTimeFormat(locale.value.tag, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));

/** The day of a time from the server. */
export const day = (at: string): string =>
	new Intl.DateTimeFormat(locale.value.tag, { dateStyle: "medium" }).format(new Date(at));

const units = [
	["day", 86_400],
	["hour", 3_600],
	["minute", 60],
	["second", 1],
] as const;

/** The time elapsed since a time from the server, in the largest unit that fits. now is the server's. */
export function elapsed(
	at: string,
	now: number,
): { readonly count: number; readonly unit: (typeof units)[number][0] } {
	const seconds = Math.max(0, (now - Date.parse(at)) / 1_000);
	const [unit, size] = units.find(([, least]) => seconds >= least) ?? ["second", 1];
	return { count: Math.floor(seconds / size), unit };
}

/** How long ago a time from the server was: "3 days ago". */
export function ago(at: string, now: number): string {
	const { count, unit } = elapsed(at, now);
	return new Intl.RelativeTimeFormat(locale.value.tag, { numeric: "auto" }).format(-count, unit);
}
