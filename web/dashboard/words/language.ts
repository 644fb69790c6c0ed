import { english, type Words } from "./english";
import { german } from "./german";
import { mirrored } from "./mirrored";

/** One language of the interface. */
export interface Locale {
	readonly tag: string;
	readonly dir: "ltr" | "rtl";
	/** Its name in the language itself. A language without a name is not offered. */
	readonly name?: string;
	readonly words: Words;
}

const standard: Locale = { tag: "en", dir: "ltr", name: "English", words: english };

export const locales: readonly Locale[] = [
	standard,
	{ tag: "de", dir: "ltr", name: "Deutsch", words: german },
	{ tag: "ar-XB", dir: "rtl", words: mirrored },
];

/**
 * The first wish that we have words for. Its region is kept, because it decides how dates and numbers look.
 */
export function languageFor(wishes: readonly string[]): Locale {
	for (const wish of wishes) {
		const found = locales.find(({ tag, name }) => name !== undefined && tag === baseOf(wish));
		if (found) return { ...found, tag: wish };
	}
	return standard;
}

/**
 * The language that the person chose, with the region that the browser prefers. An unknown choice counts as
 * none.
 */
export function chosenLanguage(choice: string, wishes: readonly string[]): Locale {
	const chosen = locales.find(({ tag }) => tag === choice);
	if (chosen === undefined) return languageFor(wishes);
	return { ...chosen, tag: wishes.find((wish) => baseOf(wish) === choice) ?? choice };
}

const baseOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? "";

export type Fillings = Readonly<Record<string, string | number>>;

/** The words of an id, with the fillings put in. The filling "count" chooses the plural form. */
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
 * Isolates the direction of a filling: a code is not reversed among right-to-left words, and a right-to-left
 * name does not reverse the words around it.
 */
const isolated = (text: string, dir: Locale["dir"]): string =>
	dir === "rtl" || rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
