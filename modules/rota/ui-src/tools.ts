import { houseTime } from "@narthex/kit";
import type { Action, ModuleUiContext } from "@narthex/sdk";
import { type Failed, type Result, RotaApi } from "./api";
import type { Days } from "./board";
import { type Say, wordsOf } from "./words";

/** How times are written. */
export interface Times {
	/** "Sun, 6 Dec, 10:00" */
	moment(moment: string): string;
	/** "Sun, 6 Dec" of "2026-12-06" */
	day(day: string): string;
	/** "December 2026" of "2026-12" */
	month(month: string): string;
}

/** The tools of every part of this UI. */
export interface Tools extends Times {
	readonly context: ModuleUiContext;
	readonly api: RotaApi;
	readonly say: Say;
	readonly language: string;
	/** Hints, the server decides. */
	readonly manages: boolean;
	readonly sends: boolean;
	/** Shows the result of an action, and the reason of a failure. It returns whether the action succeeded. */
	tell(result: Result<unknown>, done: string, undo?: Action, again?: () => unknown): boolean;
}

/** The text for a refusal, with the missing permission. */
export function refusalIn(say: Say, refused: Failed): string {
	return refused.why === "denied" ? say("denied", { permission: refused.permission }) : say(refused.why);
}

/** Refusals after which the same request can be tried again. */
const passing = new Set(["offline", "busy", "failed", "stageSilent"]);

export function timesIn(language: string): Times {
	// A day has no zone: it is written as it stands.
	const form = (options: Intl.DateTimeFormatOptions) => {
		const made = new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
		return (day: string) => made.format(new Date(`${day}T12:00Z`));
	};
	const month = form({ month: "long", year: "numeric" });
	return {
		moment: houseTime(language, {
			...{ weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
		}),
		day: form({ weekday: "short", day: "numeric", month: "short" }),
		month: (text) => month(`${text}-15`),
	};
}

export function toolsOf(context: ModuleUiContext): Tools {
	const say = wordsOf(context);
	const { language } = say;
	return {
		...timesIn(language),
		context,
		api: new RotaApi(context),
		say,
		language,
		manages: context.permissions.includes("rota.manage"),
		sends: context.permissions.includes("rota.mail.send"),
		tell: (result, done, undo, again) => {
			if (context.signal.aborted) return false;
			if (result.ok) context.announce(done, "polite", undo);
			else {
				const retry = again && passing.has(result.why) ? { label: say("tryAgain"), run: again } : undefined;
				context.announce(refusalIn(say, result), "assertive", retry);
			}
			return result.ok;
		},
	};
}

/** The days of a month; of "" those of eight weeks from today on. */
export function periodOf(month: string, today: string): Days {
	const from = month === "" ? today : `${month}-01`;
	const end = new Date(`${from}T12:00Z`);
	if (month === "") end.setUTCDate(end.getUTCDate() + 8 * 7 - 1);
	else end.setUTCMonth(end.getUTCMonth() + 1, 0);
	return { from, to: end.toISOString().slice(0, 10) };
}
