import { type Context, type Words, words } from "@narthex/sdk";

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

export type Say = Words<WordId>;

export const wordsOf = (context: Pick<Context, "locale">): Say => words(context, { en: english, de: german });
