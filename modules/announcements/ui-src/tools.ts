import { houseTime } from "@narthex/kit";
import type { ModuleUiContext } from "@narthex/sdk";
import { SlideKinds } from "../display-src/contributed";
import { Pictures } from "../display-src/pictures";
import { SlidesApi } from "./api";
import { type Say, wordsOf } from "./words";

/** The tools of every part of this UI. */
export interface Tools {
	readonly context: ModuleUiContext;
	readonly api: SlidesApi;
	readonly pictures: Pictures;
	/** Kinds of slides that other modules contribute. */
	readonly kinds: SlideKinds;
	readonly say: Say;
	readonly language: string;
	/** Whether the person may write: a hint, the server decides. */
	readonly manages: boolean;
	/** Formats a moment for people. */
	time(moment: string): string;
	/** Formats a time of today. */
	hour(moment: string): string;
}

/** The name of a weekday, 1 for Monday to 7. */
export const weekdayName = ({ language }: Tools, weekday: number, width: "long" | "short" = "long"): string =>
	new Intl.DateTimeFormat(language, { weekday: width, timeZone: "UTC" }).format(Date.UTC(2024, 0, weekday));

/** Weekdays in their order, short. */
export const daysOf = (tools: Tools, weekdays: readonly number[]): string =>
	[...weekdays].sort().map((weekday) => weekdayName(tools, weekday, "short")).join(", ");

export function toolsOf(context: ModuleUiContext): Tools {
	const say = wordsOf(context);
	const { language } = say;
	return {
		context,
		api: new SlidesApi(context),
		pictures: new Pictures(context, "/images"),
		kinds: new SlideKinds(context.contributions),
		say,
		language,
		manages: context.permissions.includes("announcements.slides.manage"),
		hour: houseTime(language, { hour: "numeric", minute: "2-digit" }),
		time: houseTime(language, {
			...{ weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
		}),
	};
}
