import { plusDays, weekdayOf } from "./days";
import type { Tools } from "./tools";

export type Unit = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** A repetition, as the fields of the editor show it. */
export interface Repeat {
	/** "": once. "OTHER": a rule that the fields cannot show; it is not changed. */
	readonly unit: Unit | "" | "OTHER";
	readonly every: number;
	/** Of a week: 0 is Monday. */
	readonly weekdays: readonly number[];
	/**
	 * For months: the same day number, the same weekday counted from the beginning, or the last such weekday.
	 */
	readonly monthly: "day" | "nth" | "last";
	readonly ends: "never" | "on" | "after";
	readonly until: string;
	readonly count: number;
	readonly rule: string;
}

const codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

export const once: Repeat = {
	unit: "",
	every: 1,
	weekdays: [],
	monthly: "day",
	ends: "never",
	until: "",
	count: 10,
	rule: "",
};

/** The position of a day among the same weekdays of its month, from 1. */
const nthOf = (day: string): number => Math.ceil(Number(day.slice(8)) / 7);

/** The repetition of a rule, if the fields can show it. */
export function repeatOf(rule: string, start: string): Repeat {
	if (rule === "") return once;
	const parts = new Map(rule.split(";").map((part) => part.split("=") as [string, string]));
	const other: Repeat = { ...once, unit: "OTHER", rule };
	const unit = parts.get("FREQ") as Unit;
	const days = parts.get("BYDAY");
	const [until = "", count] = [parts.get("UNTIL"), Number(parts.get("COUNT") ?? 0)];
	const repeat: Repeat = {
		...once,
		unit,
		every: Number(parts.get("INTERVAL") ?? 1),
		ends: until !== "" ? "on" : count > 0 ? "after" : "never",
		until: until === "" ? "" : `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`,
		count: count || once.count,
	};
	for (const name of parts.keys()) {
		if (!["FREQ", "INTERVAL", "UNTIL", "COUNT", "BYDAY"].includes(name)) return other;
	}
	if (unit === "WEEKLY") {
		const weekdays = (days ?? codes[weekdayOf(start)] ?? "")
			.split(",")
			.map((code) => codes.indexOf(code as "MO"));
		return weekdays.includes(-1) ? other : { ...repeat, weekdays };
	}
	if (days === undefined) return repeat;
	if (unit !== "MONTHLY") return other;
	const own = codes[weekdayOf(start)];
	if (days === `${nthOf(start)}${own}`) return { ...repeat, monthly: "nth" };
	return days === `-1${own}` ? { ...repeat, monthly: "last" } : other;
}

/** The rule of a repetition that begins on this day. */
export function ruleOf(repeat: Repeat, start: string): string {
	const { unit, every, weekdays, monthly, ends, until, count } = repeat;
	if (unit === "") return "";
	if (unit === "OTHER") return repeat.rule;
	const parts = [`FREQ=${unit}`];
	if (every > 1) parts.push(`INTERVAL=${every}`);
	const own = codes[weekdayOf(start)];
	if (unit === "WEEKLY") {
		const chosen = codes.filter((_, at) => weekdays.includes(at));
		parts.push(`BYDAY=${chosen.length > 0 ? chosen.join(",") : own}`);
	}
	if (unit === "MONTHLY" && monthly === "nth") parts.push(`BYDAY=${nthOf(start)}${own}`);
	if (unit === "MONTHLY" && monthly === "last") parts.push(`BYDAY=-1${own}`);
	if (ends === "on") parts.push(`UNTIL=${until.replaceAll("-", "")}`);
	if (ends === "after") parts.push(`COUNT=${count}`);
	return parts.join(";");
}

/** A weekday's name; 0 is Monday. 2024-01-01 was a Monday. */
export const weekdayName = ({ forms }: Tools, weekday: number): string =>
	forms.weekday(plusDays("2024-01-01", weekday));

/** Whether a day is the last of its weekday in its month. */
export const isLastOfMonth = (day: string): boolean => plusDays(day, 7).slice(0, 7) !== day.slice(0, 7);

/** The monthly choices that fit the day. */
export function monthlyChoices(tools: Tools, start: string) {
	const { say } = tools;
	const weekday = weekdayName(tools, weekdayOf(start));
	return [
		{ value: "day", label: say("onDayOfMonth", { day: Number(start.slice(8, 10)) }) },
		{ value: "nth", label: say(nthWords[nthOf(start) - 1] ?? "nth5", { weekday }) },
		...(isLastOfMonth(start) ? [{ value: "last", label: say("nthLast", { weekday }) }] : []),
	];
}

const nthWords = ["nth1", "nth2", "nth3", "nth4", "nth5"] as const;
const everyWords = {
	DAILY: ["everyDay", "everySecondDay", "everyDays"],
	WEEKLY: ["everyWeek", "everySecondWeek", "everyWeeks"],
	MONTHLY: ["everyMonth", "everySecondMonth", "everyMonths"],
	YEARLY: ["everyYear", "everySecondYear", "everyYears"],
} as const;

/** A repetition in one sentence: "Every second Tuesday until 30 June 2027". */
export function sentenceOf(tools: Tools, repeat: Repeat, start: string): string {
	const { say, forms, language } = tools;
	const { unit, every, weekdays, monthly, ends } = repeat;
	if (unit === "") return "";
	if (unit === "OTHER") return say("otherRule");
	const list = new Intl.ListFormat(language, { type: "conjunction" });
	const days = weekdays.length > 0 ? [...weekdays].sort((a, b) => a - b) : [weekdayOf(start)];
	const names = list.format(days.map((day) => weekdayName(tools, day)));
	const words = everyWords[unit][Math.min(every, 3) - 1] ?? "everyDay";
	let sentence = say(words, { count: every, days: names });
	if (unit === "MONTHLY") {
		const choice = monthlyChoices(tools, start).find(({ value }) => value === monthly);
		sentence = say("withChoice", { sentence, choice: choice?.label ?? "" });
	}
	if (unit === "YEARLY") {
		const day = forms.write(start.slice(0, 10), { day: "numeric", month: "long" });
		sentence = say("withDate", { sentence, date: day });
	}
	if (ends === "on")
		return say("endsOn", { sentence, date: repeat.until === "" ? "…" : forms.date(repeat.until) });
	return ends === "after"
		? say("endsAfter", { sentence, count: repeat.count })
		: say("endsNever", { sentence });
}
