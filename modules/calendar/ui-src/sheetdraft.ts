import type { Sheet } from "./listapi";
import type { ListWordId } from "./listwords";
import type { Kind, Question } from "./signup";

/** Limits of the module's server side. */
export const maxQuestions = 8;
export const maxQuestion = 120; // characters
const maxPlaces = 2000;
const maxChoices = 20;

/** A question as it is typed: its choices are lines. */
export interface QuestionDraft {
	/** Identifies it while it is edited. */
	readonly key: number;
	readonly id: string | undefined;
	readonly kind: Kind;
	readonly text: string;
	readonly required: boolean;
	readonly lines: string;
}

/** A sheet as it is typed. */
export interface SheetDraft {
	readonly places: string;
	readonly closes: string;
	readonly queue: boolean;
	readonly questions: readonly QuestionDraft[];
}

export const newQuestion = (key: number): QuestionDraft => ({
	...{ key, id: undefined, kind: "text", text: "", required: false, lines: "" },
});

export function draftOfSheet(sheet: Sheet | null): SheetDraft {
	if (sheet === null) return { places: "", closes: "", queue: true, questions: [] };
	const { places, closes, queue, questions } = sheet;
	return {
		places: places === 0 ? "" : String(places),
		closes,
		queue,
		questions: questions.map(({ id, kind, text, required, choices = [] }, key) => ({
			...{ key, id, kind, text, required, lines: choices.join("\n") },
		})),
	};
}

const linesOf = ({ lines }: QuestionDraft): readonly string[] =>
	lines
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");

/** What is wrong, by "places", or by the key of a question and its field. */
export type SheetProblems = Readonly<Record<string, ListWordId>>;

export function problemsOfSheet({ places, questions }: SheetDraft): SheetProblems {
	const problems: Record<string, ListWordId> = {};
	const number = Number(places);
	if (places.trim() !== "" && !(Number.isInteger(number) && number >= 1 && number <= maxPlaces)) {
		problems["places"] = "placesWrong";
	}
	for (const question of questions) {
		const { key, text, kind } = question;
		if (text.trim() === "") problems[`${key}.text`] = "questionNeeded";
		if (kind !== "choice") continue;
		const lines = linesOf(question);
		if (lines.length < 2 || lines.length > maxChoices) problems[`${key}.lines`] = "choicesNeeded";
		else if (new Set(lines).size < lines.length) problems[`${key}.lines`] = "questionTwice";
	}
	return problems;
}

export const sheetOf = ({ places, closes, queue, questions }: SheetDraft): Sheet => ({
	places: Number(places), // "" is 0
	closes,
	queue,
	questions: questions.map((question): Question => {
		const { id, kind, text, required } = question;
		return {
			...(id === undefined ? {} : { id }),
			...{ kind, text: text.trim(), required },
			...(kind === "choice" ? { choices: linesOf(question) } : {}),
		};
	}),
});
