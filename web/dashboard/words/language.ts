import type { Catalogue, Entries } from "./catalogue";

/** One language of the interface. */
export interface Locale {
	readonly tag: string;
	readonly dir: "ltr" | "rtl";
	/** Which words of a catalogue it has. */
	readonly language: keyof Catalogue<Entries>;
	/** Its name in the language itself. A language without a name is not offered. */
	readonly name?: string;
	/** The right-to-left pseudo-language for trying layouts: only its tag selects it. */
	readonly mirrored?: boolean;
}

export const standard: Locale = { tag: "en", dir: "ltr", language: "en", name: "English" };

export const locales: readonly Locale[] = [
	standard,
	{ tag: "de", dir: "ltr", language: "de", name: "Deutsch" },
	{ tag: "ar-XB", dir: "rtl", language: "en", mirrored: true },
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
