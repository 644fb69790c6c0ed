import { fillIn, type Fillings, formOf, type Text } from "@narthex/sdk";

/** Texts by id. */
export type Entries = Readonly<Record<string, Text>>;

/** The same texts in every language. The type checker reports missing ones. */
export interface Catalogue<English extends Entries> {
	readonly en: English;
	readonly de: { readonly [Id in keyof English]: Text };
}

export type { Fillings };

/** One language of the user interface. */
export interface Locale {
	readonly tag: string;
	readonly dir: "ltr" | "rtl";
	/** The language in a catalogue. */
	readonly language: keyof Catalogue<Entries>;
	/** Its name in the language itself. A language without a name is not offered. */
	readonly name?: string;
	/** The right-to-left pseudo-language for testing layouts. It can be selected only by its tag. */
	readonly mirrored?: boolean;
}

/** The text of an id with its placeholders filled in. */
export function say<English extends Entries>(
	catalogue: Catalogue<English>,
	locale: Locale,
	id: keyof English,
	fillings: Fillings = {},
): string {
	const { tag, dir, language } = locale;
	const plain = formOf(catalogue[language][id], fillings, tag);
	const words = locale.mirrored ? mirror(plain) : plain;
	return fillIn(words, fillings, tag, (inserted) => isolated(inserted, dir));
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
