import { kitGerman } from "../kit/german";
import { kitEnglish } from "../kit/words";

/** All texts of the page itself, in the browser's language. */
export interface Words {
	readonly opening: string;
	readonly notFound: string;
	readonly askAgain: string;
	readonly tooMany: string;
	readonly waitAMinute: string;
	readonly unreachable: string;
	readonly cannotShow: string;
	readonly tryAgain: string;
}

const english: Words = {
	opening: "Opening…",
	notFound: "This link does not work any more.",
	askAgain: "It may have ended, or a newer one was sent to you. Ask the people who sent it for a new one.",
	tooMany: "Too many links were opened from here.",
	waitAMinute: "Wait a minute, then try again.",
	unreachable: "There is no connection right now.",
	cannotShow: "This page cannot be shown.",
	tryAgain: "Try again",
};

const german: Words = {
	opening: "Wird geöffnet …",
	notFound: "Dieser Link funktioniert nicht mehr.",
	askAgain:
		"Vielleicht ist er abgelaufen, oder Sie haben einen neueren. Bitten Sie die Absender um einen neuen.",
	tooMany: "Von hier aus wurden zu viele Links geöffnet.",
	waitAMinute: "Warten Sie eine Minute, und versuchen Sie es dann noch einmal.",
	unreachable: "Es gibt gerade keine Verbindung.",
	cannotShow: "Diese Seite kann nicht angezeigt werden.",
	tryAgain: "Noch einmal versuchen",
};

/** What is said in one language, by the page and by the kit. */
export interface Spoken {
	readonly tag: string;
	readonly words: Words;
	readonly kit: typeof kitEnglish | typeof kitGerman;
}

/** The texts for the first of the wished languages that has some; otherwise for the house's. */
export function wordsFor(wishes: readonly string[], house: string): Spoken {
	for (const tag of [...wishes, house]) {
		if (tag.startsWith("de")) return { tag, words: german, kit: kitGerman };
		if (tag.startsWith("en")) return { tag, words: english, kit: kitEnglish };
	}
	return { tag: "en", words: english, kit: kitEnglish };
}
