const english = {
	heading: "At a glance",
	failed: "This cannot be shown just now.",
	stale: "This may not be up to date.",
	tryAgain: "Try again",
};

type WordId = keyof typeof english;

const german: Record<WordId, string> = {
	heading: "Auf einen Blick",
	failed: "Das lässt sich gerade nicht zeigen.",
	stale: "Das ist vielleicht nicht mehr aktuell.",
	tryAgain: "Noch einmal versuchen",
};

export type Say = (id: WordId) => string;

/**
 * The language of this page: the Dashboard's with its region, or English if there are no words in that
 * language.
 */
export function languageFor(locale: string): string {
	return /^(de|en)\b/.test(locale) ? locale : "en";
}

export function wordsFor(language: string): Say {
	const words = language.startsWith("de") ? german : english;
	return (id) => words[id];
}
