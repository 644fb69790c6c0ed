import { dayOf, minutesBetween, plusDays, plusMinutes } from "./days";
import type { Event } from "./event";
import { once, type Repeat, repeatOf, ruleOf } from "./repeat";

/**
 * The fields of an event. start and end contain times even for whole days, in case the person changes that
 * back.
 */
export interface Draft {
	readonly title: string;
	readonly text: string;
	readonly allDay: boolean;
	readonly start: string;
	readonly end: string;
	readonly repeat: Repeat;
	readonly rooms: readonly number[];
}

/** Limits of the module's server side, in characters. */
export const maxTitle = 120;
export const maxText = 1000;

/** An event of one hour on a day: at ten, or today after ten at the next full hour. */
export function newDraft(day: string, now: string): Draft {
	const ten = `${day}T10:00`;
	const start = day === dayOf(now) && now > ten ? plusMinutes(`${now.slice(0, 13)}:00`, 60) : ten;
	return { title: "", text: "", allDay: false, start, end: plusMinutes(start, 60), repeat: once, rooms: [] };
}

const withTime = (text: string, time: string): string => (text.length === 10 ? `${text}T${time}` : text);

/** The fields of an event. */
export function draftOf({
	title,
	text,
	allDay,
	start,
	end,
	rule,
	rooms,
}: Omit<Event, "id" | "rev" | "service" | "cancelled" | "moved">): Draft {
	return {
		...{ title, text, allDay, rooms },
		start: withTime(start, "10:00"),
		end: withTime(end, "11:00"),
		repeat: repeatOf(rule, dayOf(start)),
	};
}

/** The draft of an event, moved to another date. */
export function movedTo(draft: Draft, date: string): Draft {
	const lasts = minutesBetween(draft.start, draft.end);
	const start = draft.allDay ? `${dayOf(date)}${draft.start.slice(10)}` : date;
	return { ...draft, start, end: plusMinutes(start, lasts) };
}

/** Sets the start, and moves the end by the same time. */
export function withStart(draft: Draft, start: string): Draft {
	if (start.length < 16 || draft.start.length < 16) return { ...draft, start };
	const lasts = minutesBetween(draft.start, draft.end);
	return { ...draft, start, end: lasts > 0 || draft.allDay ? plusMinutes(start, lasts) : draft.end };
}

export type Problems = Partial<
	Record<
		"title" | "start" | "end" | "until",
		"titleNeeded" | "timeNeeded" | "endBeforeStart" | "tooLong" | "untilBeforeStart"
	>
>;

/** Mistakes that the server would refuse and the person can correct. */
export function problemsOf({ title, start, end, allDay, repeat }: Draft): Problems {
	const problems: Problems = {};
	if (title.trim() === "") problems.title = "titleNeeded";
	if (start.length < 16) problems.start = "timeNeeded";
	if (end.length < 16) problems.end = "timeNeeded";
	else if (allDay ? dayOf(end) < dayOf(start) : end <= start) problems.end = "endBeforeStart";
	else if (dayOf(end) >= plusDays(dayOf(start), 31)) problems.end = "tooLong";
	if (repeat.unit !== "" && repeat.ends === "on") {
		if (repeat.until.length < 10) problems.until = "timeNeeded";
		else if (repeat.until < dayOf(start)) problems.until = "untilBeforeStart";
	}
	return problems;
}

/** The request body for a draft. */
export function submissionOf(draft: Draft, rev: number | undefined, repeats: boolean): object {
	const { title, text, allDay, start, end, repeat, rooms } = draft;
	return {
		title: title.trim(),
		text,
		start: allDay ? dayOf(start) : start,
		end: allDay ? dayOf(end) : end,
		rule: repeats ? ruleOf(repeat, dayOf(start)) : "",
		rooms,
		...(rev === undefined ? {} : { rev }),
	};
}
