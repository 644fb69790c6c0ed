import { instantOf, localTime } from "@narthex/kit";
import { type BoardSlide, ownKind } from "../display-src/board";
import { isTime, type Only } from "../display-src/only";
import { isPictureOnly } from "../display-src/slideview";

export { ownKind };

/** A slide as the module's own API returns it. */
export interface Slide extends BoardSlide {
	readonly enabled: boolean;
}

/** The fields of a slide. Times are on the house's clock, "" for none. */
export interface Draft {
	readonly kind: string;
	readonly title: string;
	readonly body: string;
	readonly imageId: string | null;
	/** The values of the kind's own fields. */
	readonly payload: unknown;
	readonly startsAt: string;
	readonly endsAt: string;
	/** As in Only. */
	readonly weekdays: readonly number[];
	/** "15:04", or both "". */
	readonly from: string;
	readonly until: string;
	/** Names of screens, with commas between. */
	readonly screens: string;
	readonly enabled: boolean;
}

/** Limits of the module's server side, in characters. */
export const maxTitle = 120;
export const maxBody = 4000;

export const emptyDraft: Draft = {
	kind: ownKind,
	title: "",
	body: "",
	imageId: null,
	payload: null,
	startsAt: "",
	endsAt: "",
	weekdays: [],
	from: "",
	until: "",
	screens: "",
	enabled: true,
};

export function draftOf(slide: Slide): Draft {
	const { kind, title, body, imageId, payload, enabled, only } = slide;
	const [startsAt, endsAt] = [clockOf(slide.startsAt), clockOf(slide.endsAt)];
	const { from, until } = only?.hours ?? { from: "", until: "" };
	const weekdays = only?.weekdays ?? [];
	const screens = (only?.screens ?? []).join(", ");
	return { kind, title, body, imageId, payload, enabled, startsAt, endsAt, weekdays, from, until, screens };
}

/** The same draft, with its picture alone or with the words. */
export const withPictureOnly = (draft: Draft, alone: boolean): Draft => ({
	...draft,
	payload: alone ? { pictureOnly: true } : null,
});

export type Status = "off" | "scheduled" | "live" | "paused" | "ended";

/** The state of a slide at a time. */
export function statusOf(slide: Slide, now: number): Status {
	if (!slide.enabled) return "off";
	if (slide.endsAt !== null && Date.parse(slide.endsAt) <= now) return "ended";
	if (slide.startsAt !== null && Date.parse(slide.startsAt) > now) return "scheduled";
	return isTime(slide.only, now) ? "live" : "paused";
}

export type Problems = Partial<
	Record<"title" | "endsAt" | "hours", "titleNeeded" | "endBeforeStart" | "hoursNeeded">
>;

/** Mistakes that the server would refuse and the person can correct. */
export function problemsOf(draft: Draft): Problems {
	const problems: Problems = {};
	if (draft.title.trim() === "") problems.title = "titleNeeded";
	if (draft.startsAt !== "" && draft.endsAt !== "" && draft.endsAt <= draft.startsAt)
		problems.endsAt = "endBeforeStart";
	if (!draft.from !== !draft.until || (draft.from !== "" && draft.from === draft.until))
		problems.hours = "hoursNeeded";
	return problems;
}

/** The request body for a draft. */
export function submissionOf(draft: Draft, edited?: Slide): object {
	return {
		kind: draft.kind,
		payload: draft.kind === ownKind && !(draft.imageId && isPictureOnly(draft)) ? null : draft.payload,
		imageId: draft.imageId,
		title: draft.title.trim(),
		body: draft.body,
		startsAt: instantOf(draft.startsAt) || null,
		endsAt: instantOf(draft.endsAt) || null,
		only: onlyOf(draft),
		enabled: draft.enabled,
		...(edited ? { rev: edited.rev } : {}),
	};
}

/** The names of screens in what is typed. */
export const screensOf = (typed: string): string[] =>
	typed.split(",").map((name) => name.trim()).filter((name) => name !== "");

function onlyOf({ weekdays, from, until, screens }: Draft): Only | null {
	const names = screensOf(screens);
	if (weekdays.length === 0 && from === "" && names.length === 0) return null;
	return { weekdays, hours: from === "" ? null : { from, until }, screens: names };
}

/** The request body that publishes a slide or takes it down. */
export const changed = (slide: Slide, enabled: boolean): object =>
	submissionOf({ ...draftOf(slide), enabled }, slide);

const clockOf = (moment: string | null): string => (moment === null ? "" : localTime(moment));
