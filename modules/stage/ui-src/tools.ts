import { houseTime } from "@narthex/kit";
import type { ModuleUiContext } from "@narthex/sdk";
import { StageApi } from "./api";
import { type Say, wordsOf } from "./words";

/** The tools of every part of this UI. */
export interface Tools {
	readonly context: ModuleUiContext;
	readonly api: StageApi;
	readonly say: Say;
	readonly language: string;
	/** Whether the person may write and drive: hints, the server decides. */
	readonly edits: boolean;
	readonly drives: boolean;
	/**
	 * Whether a dialog has words in it. It is open then as soon as its screen is shown, as any other form with a
	 * draft is.
	 */
	holdsWords(draft: string): boolean;
	/** Formats a moment: day and time. */
	time(moment: string): string;
	/** Formats the time of a moment. */
	hour(moment: number): string;
	/** Formats a duration in whole minutes. */
	minutes(seconds: number): string;
}

export function toolsOf(context: ModuleUiContext): Tools {
	const say = wordsOf(context);
	const { language } = say;
	const time = houseTime(language, {
		...{ weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
	});
	const minutes = new Intl.NumberFormat(language, { style: "unit", unit: "minute", unitDisplay: "short" });
	return {
		context,
		api: new StageApi(context),
		say,
		language,
		edits: context.permissions.includes("stage.plan.edit"),
		drives: context.permissions.includes("stage.live.control"),
		holdsWords: (draft) => context.drafts.get(draft) !== undefined,
		time,
		hour: houseTime(language, { hour: "numeric", minute: "2-digit" }),
		minutes: (seconds) => minutes.format(Math.ceil(seconds / 60)),
	};
}
