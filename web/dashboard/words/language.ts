import type { Locale } from "./catalogue";

export const standard: Locale = { tag: "en", dir: "ltr", language: "en", name: "English" };

export const locales: readonly Locale[] = [
	standard,
	{ tag: "de", dir: "ltr", language: "de", name: "Deutsch" },
	{ tag: "ar-XB", dir: "rtl", language: "en", mirrored: true },
];

/**
 * The first preferred language for which there are texts. Its region is kept, because it decides the format
 * of dates and numbers.
 */
export function languageFor(wishes: readonly string[]): Locale {
	for (const wish of wishes) {
		const found = locales.find(({ tag, name }) => name !== undefined && tag === baseOf(wish));
		if (found) return { ...found, tag: wish };
	}
	return standard;
}

/**
 * The language that the person chose, with the region that the browser prefers. An unknown choice is ignored.
 */
export function chosenLanguage(choice: string, wishes: readonly string[]): Locale {
	const chosen = locales.find(({ tag }) => tag === choice);
	if (chosen === undefined) return languageFor(wishes);
	return { ...chosen, tag: wishes.find((wish) => baseOf(wish) === choice) ?? choice };
}

const baseOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? "";
