/** A notice as the module's own API has it. */
export interface Slide {
	readonly id: string;
	readonly kind: string;
	readonly title: string;
	readonly body: string;
	readonly payload: unknown;
	readonly startsAt: string | null;
	readonly endsAt: string | null;
	readonly enabled: boolean;
	readonly rev: number;
}

/** What a person writes; times as the fields have them, local and without a zone, "" for none. */
export interface Draft {
	readonly title: string;
	readonly body: string;
	readonly startsAt: string;
	readonly endsAt: string;
	readonly enabled: boolean;
}

/** Limits of the module's server side, in characters. */
export const maxTitle = 120;
export const maxBody = 4000;

/** The kind that this module shows itself. */
export const ownKind = "notice";

export const emptyDraft: Draft = { title: "", body: "", startsAt: "", endsAt: "", enabled: true };

export function draftOf(slide: Slide): Draft {
	const { title, body, enabled } = slide;
	return { title, body, enabled, startsAt: localTime(slide.startsAt), endsAt: localTime(slide.endsAt) };
}

export type Standing = "off" | "scheduled" | "live" | "ended";

/** Where a notice stands at a time. */
export function standingOf(slide: Slide, now: number): Standing {
	if (!slide.enabled) return "off";
	if (slide.endsAt !== null && Date.parse(slide.endsAt) <= now) return "ended";
	return slide.startsAt !== null && Date.parse(slide.startsAt) > now ? "scheduled" : "live";
}

export type Problems = Partial<Record<"title" | "endsAt", "titleNeeded" | "endBeforeStart">>;

/** What the server would refuse and the person can mend. */
export function problemsOf(draft: Draft): Problems {
	const problems: Problems = {};
	if (draft.title.trim() === "") problems.title = "titleNeeded";
	if (draft.startsAt !== "" && draft.endsAt !== "" && draft.endsAt <= draft.startsAt)
		problems.endsAt = "endBeforeStart";
	return problems;
}

/** What is sent for a draft. A notice that another module brought keeps what is that module's. */
export function submissionOf(draft: Draft, edited?: Slide): object {
	return {
		kind: edited?.kind ?? ownKind,
		payload: edited?.payload ?? null,
		title: draft.title.trim(),
		body: draft.body,
		startsAt: instant(draft.startsAt),
		endsAt: instant(draft.endsAt),
		enabled: draft.enabled,
		...(edited ? { rev: edited.rev } : {}),
	};
}

/** The same notice, published or not. */
export const changed = (slide: Slide, enabled: boolean): object =>
	submissionOf({ ...draftOf(slide), enabled }, slide);

/** A moment as a datetime-local field has it: of this browser's zone, to the minute. */
function localTime(moment: string | null): string {
	if (moment === null) return "";
	const date = new Date(moment);
	return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const instant = (local: string): string | null => (local === "" ? null : new Date(local).toISOString());
