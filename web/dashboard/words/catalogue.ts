import type { Locale } from "./language";

/** A text that depends on a number, with a form for each plural rule of its language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** Texts by id. {name} is a placeholder. */
export type Entries = Readonly<Record<string, string | Plural>>;

/** The same texts in every language. The type checker reports missing ones. */
export interface Catalogue<English extends Entries> {
	readonly en: English;
	readonly de: { readonly [Id in keyof English]: string | Plural };
}

export type Fillings = Readonly<Record<string, string | number>>;

/** The text of an id with its placeholders filled in. The placeholder "count" selects the plural form. */
export function say<English extends Entries>(
	catalogue: Catalogue<English>,
	locale: Locale,
	id: keyof English,
	fillings: Fillings = {},
): string {
	const { tag, dir, language } = locale;
	const entry: string | Plural = catalogue[language][id];
	const count = fillings["count"];
	const plain =
		typeof entry === "string"
			? entry
			: (entry[new Intl.PluralRules(tag).select(typeof count === "number" ? count : 0)] ?? entry.other);
	const words = locale.mirrored ? mirror(plain) : plain;
	return words.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = fillings[name];
		return isolated(typeof value === "number" ? new Intl.NumberFormat(tag).format(value) : (value ?? ""), dir);
	});
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Isolates the direction of an inserted text: a code is not reversed in right-to-left text, and a
 * right-to-left name does not reverse the text around it.
 */
const isolated = (text: string, dir: Locale["dir"]): string =>
	dir === "rtl" || rightToLeft.test(text) ? `\u2068${text}\u2069` : text;

/** Makes text right-to-left and 40 % longer, for testing layouts. */
const mirror = (text: string): string => `\u202e${text.replace(/[\p{L}\p{N}]+(?![^{]*\})/gu, longer)}\u202c`;
const longer = (word: string): string => word + word.slice(0, Math.ceil(word.length * 0.4));
