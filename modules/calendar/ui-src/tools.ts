import type { ModuleUiContext } from "@narthex/sdk";
import { CalendarApi, type Result } from "./api";
import { Forms } from "./days";
import type { Occurrence, Room } from "./event";
import { type Say, wordsOf } from "./words";

/** The tools of every part of this UI. */
export interface Tools {
	readonly context: ModuleUiContext;
	readonly api: CalendarApi;
	readonly say: Say;
	readonly language: string;
	readonly forms: Forms;
	/** Whether the person may write: a hint, the server decides. */
	readonly manages: boolean;
	/** The same for services. */
	readonly plans: boolean;
	/** The same for signing up for events. */
	readonly signsUp: boolean;
}

export function toolsOf(context: ModuleUiContext): Tools {
	const say = wordsOf(context);
	const { language } = say;
	return {
		context,
		api: new CalendarApi(context),
		say,
		language,
		forms: new Forms(language),
		manages: context.permissions.includes("calendar.events.manage"),
		plans: context.permissions.includes("calendar.services.manage"),
		signsUp: context.permissions.includes("calendar.signups.own"),
	};
}

/** The time of an event on one of its days. */
export function hoursOn({ forms, say }: Tools, one: Occurrence, day: string): string {
	if (one.allDay) return say("allDay");
	if (one.start.slice(0, 10) === day && one.end.slice(0, 10) === day) return forms.times(one.start, one.end);
	const begins = one.start.slice(0, 10) === day ? forms.time(one.start) : "";
	const ends = one.end.slice(0, 10) === day ? forms.time(one.end) : "";
	if (begins === "" && ends === "") return say("allDay");
	return begins === "" ? say("untilTime", { time: ends }) : begins;
}

/** The names of rooms, in their order. */
export const namesOf = (rooms: readonly Room[], ids: readonly number[]): string =>
	rooms
		.filter(({ id }) => ids.includes(id))
		.map(({ name }) => name)
		.join(", ");

/**
 * Shows the result of a write: success with a way to undo it, or the reason of a failure with a way to try
 * again.
 */
export function tell<Value>(
	{ context, say }: Tools,
	result: Result<Value>,
	done: string,
	again: () => unknown,
	undo?: (value: Value) => unknown,
): void {
	if (result.ok) {
		const { value } = result;
		context.announce(done, "polite", undo && { label: say("undo"), run: () => undo(value) });
		return;
	}
	const retries = ["offline", "busy", "failed"].includes(result.why);
	context.announce(
		say(result.why),
		"assertive",
		retries ? { label: say("tryAgain"), run: again } : undefined,
	);
}
