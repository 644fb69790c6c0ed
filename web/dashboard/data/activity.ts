import { instantOf } from "../../kit/house";
import type { Platform } from "./platform";
import type { Result } from "./request";
import { listOf, object, orAbsent, orNull, type Shape, ShapeError, text } from "./shape";

const fields: Shape<Readonly<Record<string, unknown>>> = (value) => {
	if (typeof value !== "object" || value === null) throw new ShapeError();
	return value as Readonly<Record<string, unknown>>;
};
const names: Shape<Readonly<Record<string, string>>> = (value) =>
	Object.fromEntries(Object.entries(fields(value)).map(([id, name]) => [id, text(name)]));
const entry = object({
	id: text,
	at: text,
	actor: object({ kind: text, userId: orAbsent(text) }),
	action: text,
	subject: object({ kind: text, id: text }),
	details: fields,
});
const page = object({ entries: listOf(entry), people: names, joined: names, nextCursor: orNull(text) });

/** One change: who made it, when, and what it was about. */
export type Entry = ReturnType<typeof entry>;

/** Which entries to read; all of them if it is empty. */
export interface ActivityFilter {
	/** The person who made the change, or whom it was about. */
	readonly userId?: string;
	readonly action?: string;
	readonly moduleId?: string;
	/** A day in the browser's time zone, as "YYYY-MM-DD". */
	readonly day?: string;
}

/** The newest entries, the names of the people in them, and who came by the invitations in them. */
export interface ActivityList {
	readonly entries: readonly Entry[];
	readonly people: ReadonlyMap<string, string>;
	/** The ids of the people, by the id of their invitation. */
	readonly joined: ReadonlyMap<string, string>;
	/** Whether there are more entries. */
	readonly more: boolean;
}

const pageSize = "100";

/** Reads that many pages of entries, newest first. */
export async function readActivity(
	platform: Platform,
	{ userId, action, moduleId, day }: ActivityFilter,
	pages: number,
): Promise<Result<ActivityList>> {
	const found: Entry[] = [];
	const people = new Map<string, string>();
	const joined = new Map<string, string>();
	let cursor: string | null = "";
	for (let read = 0; read < pages && cursor !== null; read++) {
		const asked = new URLSearchParams({
			limit: pageSize,
			...(userId && { userId }),
			...(action && { action }),
			...(moduleId && { subjectKind: "module", subjectId: moduleId }),
			...(day && spanOf(day)),
			...(cursor && { cursor }),
		});
		const answer: Result<ReturnType<typeof page>> = await platform.read(
			`/api/v1/activity?${asked}`,
			page,
		);
		if (!answer.ok) return answer;
		found.push(...answer.value.entries);
		for (const [id, name] of Object.entries(answer.value.people)) people.set(id, name);
		for (const [id, userId] of Object.entries(answer.value.joined)) joined.set(id, userId);
		cursor = answer.value.nextCursor;
	}
	return { ok: true, value: { entries: found, people, joined, more: cursor !== null } };
}

/** A day from its midnight to the next one, which is 23 or 25 hours later when the clocks change. */
function spanOf(day: string): { readonly from: string; readonly to: string } {
	const next = new Date(Date.parse(`${day}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
	return { from: instantOf(`${day}T00:00`), to: instantOf(`${next}T00:00`) };
}
