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
const page = object({ entries: listOf(entry), people: names, nextCursor: orNull(text) });

/** One change: who made it, when, and what it was about. */
export type Entry = ReturnType<typeof entry>;

/** Which entries to read; all of them if it is empty. */
export interface ActivityFilter {
	/** The person who made the change, or whom it was about. */
	readonly userId?: string;
	readonly action?: string;
	readonly moduleId?: string;
}

/** The newest entries, and the names of the people in them. */
export interface ActivityList {
	readonly entries: readonly Entry[];
	readonly people: ReadonlyMap<string, string>;
	/** Whether there are more entries. */
	readonly more: boolean;
}

const pageSize = "100";

/** Reads that many pages of entries, newest first. */
export async function readActivity(
	platform: Platform,
	{ userId, action, moduleId }: ActivityFilter,
	pages: number,
): Promise<Result<ActivityList>> {
	const found: Entry[] = [];
	const people = new Map<string, string>();
	let cursor: string | null = "";
	for (let read = 0; read < pages && cursor !== null; read++) {
		const asked = new URLSearchParams({
			limit: pageSize,
			...(userId && { userId }),
			...(action && { action }),
			...(moduleId && { subjectKind: "module", subjectId: moduleId }),
			...(cursor && { cursor }),
		});
		const answer: Result<ReturnType<typeof page>> = await platform.read(
			`/api/v1/activity?${asked}`,
			page,
		);
		if (!answer.ok) return answer;
		found.push(...answer.value.entries);
		for (const [id, name] of Object.entries(answer.value.people)) people.set(id, name);
		cursor = answer.value.nextCursor;
	}
	return { ok: true, value: { entries: found, people, more: cursor !== null } };
}
