import { english, type Words } from "./english";
import { german } from "./german";
import { mirrored } from "./mirrored";

/** One language of the interface. */
export interface Locale {
	readonly tag: string;
	readonly dir: "ltr" | "rtl";
	/** Its name in itself; without one it is not offered. */
	readonly name?: string;
	readonly words: Words;
}

const standard: Locale = { tag: "en", dir: "ltr", name: "English", words: english };

export const locales: readonly Locale[] = [
	standard,
	{ tag: "de", dir: "ltr", name: "Deutsch", words: german },
	{ tag: "ar-XB", dir: "rtl", words: mirrored },
];

/** The first wish that there are words for. Its region stays: it tells how dates and numbers are written. */
export function languageFor(wishes: readonly string[]): Locale {
	for (const wish of wishes) {
		const found = locales.find(({ tag, name }) => name !== undefined && tag === baseOf(wish));
		if (found) return { ...found, tag: wish };
	}
	return standard;
}

/**
 * The language that somebody chose, in the region that the browser knows. What is no choice of ours counts as
 * none.
 */
export function chosenLanguage(choice: string, wishes: readonly string[]): Locale {
	const chosen = locales.find(({ tag }) => tag === choice);
	if (chosen === undefined) return languageFor(wishes);
	return { ...chosen, tag: wishes.find((wish) => baseOf(wish) === choice) ?? choice };
}

const baseOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? "";

export type Fillings = Readonly<Record<string, string | number>>;

/** The words of an id in a language, filled in. count chooses the form. */
export function say(locale: Locale, id: keyof Words, fillings: Fillings = {}): string {
	const entry = locale.words[id];
	const count = fillings["count"];
	const words =
		typeof entry === "string"
			? entry
			: (entry[new Intl.PluralRules(locale.tag).select(typeof count === "number" ? count : 0)] ??
				entry.other);
	return words.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = fillings[name];
		return isolated(
			typeof value === "number" ? new Intl.NumberFormat(locale.tag).format(value) : (value ?? ""),
			locale.dir,
		);
	});
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * What is filled in keeps its own direction: neither does a code turn round among right-to-left words, nor a
 * name the words about it.
 */
const isolated = (text: string, dir: Locale["dir"]): string =>
	dir === "rtl" || rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
