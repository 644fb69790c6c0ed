import { signal } from "@preact/signals";
import { type Catalogue, type Entries, type Fillings, say } from "./catalogue";
import { english } from "./english";
import { german } from "./german";
import { type Locale, standard } from "./language";

/** The language that is shown. The preferences choose it. */
export const locale = signal<Locale>(standard);

/** What a screen says, by id, and the catalogue it says it from. */
export interface Words<English extends Entries> {
	(id: keyof English, fillings?: Fillings): string;
	readonly catalogue: Catalogue<English>;
}

/**
 * The words of a screen, which has a catalogue of its own, in the language that is shown. A component that
 * uses them follows the language.
 */
export function wordsOf<const English extends Entries>(catalogue: Catalogue<English>): Words<English> {
	const words = (id: keyof English, fillings?: Fillings) => say(catalogue, locale.value, id, fillings);
	return Object.assign(words, { catalogue });
}

/** The words that all screens share. */
export const t = wordsOf({ en: english, de: german });

/** A time of day as people write it. */
export const clockTime = (date: Date): string =>
	new Intl.DateTimeFormat(locale.value.tag, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(
		date,
	);

/** A moment that the server tells, in the reader's zone, as people write it. */
export const moment = (at: string): string =>
	new Intl.DateTimeFormat(locale.value.tag, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));

/** The day of a moment that the server tells. */
export const day = (at: string): string =>
	new Intl.DateTimeFormat(locale.value.tag, { dateStyle: "medium" }).format(new Date(at));

const units = [
	["day", 86_400],
	["hour", 3_600],
	["minute", 60],
	["second", 1],
] as const;

/** The time since a moment that the server tells, in the largest unit that fits. */
export function elapsed(at: string): { readonly count: number; readonly unit: (typeof units)[number][0] } {
	const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1_000);
	const [unit, size] = units.find(([, least]) => seconds >= least) ?? ["second", 1];
	return { count: Math.floor(seconds / size), unit };
}

/** How long ago the server saw something: "3 days ago". */
export function ago(at: string): string {
	const { count, unit } = elapsed(at);
	return new Intl.RelativeTimeFormat(locale.value.tag, { numeric: "auto" }).format(-count, unit);
}
