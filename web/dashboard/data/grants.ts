import { people, type Person } from "./directory";
import type { Platform } from "./platform";
import type { Failure, Result } from "./request";
import { listOf, object, orAbsent, orNull, text, yesOrNo } from "./shape";
import { translated } from "./translated";

const permission = translated(
	object({
		id: text,
		baseline: text,
		moduleId: orNull(text),
		moduleName: orAbsent(text),
		description: orNull(text),
		/** It is for screens. */
		display: orAbsent(yesOrNo),
	}),
);
const grant = object({
	id: text,
	userId: text,
	permissionId: text,
	expiresAt: orNull(text),
	revokedAt: orNull(text),
	createdAt: text,
	createdBy: orNull(text),
	/** No installed module has the permission, so the grant has no effect. */
	orphaned: orAbsent(yesOrNo),
});
const grants = object({ grants: listOf(grant), nextCursor: orNull(text) });
const permissions = object({ permissions: listOf(permission) });

export type Permission = ReturnType<typeof permission>;
export type Grant = ReturnType<typeof grant>;

/** The grants of a person or of a permission; all grants if it is empty. */
export interface GrantFilter {
	readonly userId?: string;
	readonly permissionId?: string;
}

/** Effective grants, and the people in them. */
export interface GrantList {
	readonly grants: readonly Grant[];
	readonly people: ReadonlyMap<string, Person>;
	/** Whether there are more grants. */
	readonly more: boolean;
}

const pageSize = 200;

export const readPermissions = async (platform: Platform): Promise<Result<readonly Permission[]>> => {
	const answer = await platform.read("/api/v1/permissions", permissions);
	return answer.ok ? { ok: true, value: answer.value.permissions } : answer;
};

/** Reads that many pages of grants, newest first, and the people in them. */
export async function readGrants(
	platform: Platform,
	filter: GrantFilter,
	pages: number,
): Promise<Result<GrantList>> {
	const found: Grant[] = [];
	let cursor: string | null = "";
	for (let page = 0; page < pages && cursor !== null; page++) {
		const asked = new URLSearchParams({ limit: String(pageSize), ...filter, ...(cursor && { cursor }) });
		const answer: Result<ReturnType<typeof grants>> = await platform.read(`/api/v1/grants?${asked}`, grants);
		if (!answer.ok) return answer;
		found.push(...answer.value.grants);
		cursor = answer.value.nextCursor;
	}
	const now = new Date(platform.clock.now()).toISOString();
	const inForce = found.filter(
		({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
	);
	const named = await namesOf(platform, inForce, filter.userId);
	if (!named.ok) return named;
	return { ok: true, value: { grants: inForce, people: named.value, more: cursor !== null } };
}

/** The grants of a permission that were effective at a time, and the people in them. */
export async function readHolders(
	platform: Platform,
	permissionId: string,
	at: string,
): Promise<Result<GrantList>> {
	const found: Grant[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const asked = new URLSearchParams({
			limit: String(pageSize),
			permissionId,
			at,
			...(cursor && { cursor }),
		});
		const answer: Result<ReturnType<typeof grants>> = await platform.read(
			`/api/v1/grants?${asked}`,
			grants,
		);
		if (!answer.ok) return answer;
		found.push(...answer.value.grants);
		cursor = answer.value.nextCursor;
	}
	const named = await namesOf(platform, found, undefined);
	return named.ok ? { ok: true, value: { grants: found, people: named.value, more: false } } : named;
}

/**
 * The people in the grants, and the first people of the directory, so that a small house needs no further
 * request.
 */
async function namesOf(
	platform: Platform,
	found: readonly Grant[],
	also: string | undefined,
): Promise<Result<ReadonlyMap<string, Person>>> {
	const first = await platform.read(`/api/v1/people?limit=${pageSize}`, people);
	if (!first.ok) return first;
	const known = new Map(first.value.people.map((one) => [one.userId, one]));
	const named = [also, ...found.flatMap(({ userId, createdBy }) => [userId, createdBy])];
	const missing = [...new Set(named)].filter((id): id is string => typeof id === "string" && !known.has(id));
	if (first.value.nextCursor === null) return { ok: true, value: known };
	for (let from = 0; from < missing.length; from += pageSize) {
		const asked = new URLSearchParams(missing.slice(from, from + pageSize).map((id) => ["userId", id]));
		asked.set("limit", String(pageSize));
		const answer = await platform.read(`/api/v1/people?${asked}`, people);
		if (!answer.ok) return answer;
		for (const one of answer.value.people) known.set(one.userId, one);
	}
	return { ok: true, value: known };
}

export const issueGrant = (
	platform: Platform,
	{ userId, permissionId, expiresAt }: Pick<Grant, "userId" | "permissionId" | "expiresAt">,
): Promise<Result<Grant>> =>
	platform.send(
		"POST",
		"/api/v1/grants",
		{ userId, permissionId, ...(expiresAt !== null && { expiresAt }) },
		grant,
	);

export const revokeGrant = (platform: Platform, id: string): Promise<Result<unknown>> =>
	platform.send("POST", `/api/v1/grants/${id}/revoke`, {}, object({ revokedGrantIds: listOf(text) }));

export const alreadyGranted = (failure: Failure): boolean =>
	failure.code === "AUTHORIZATION_GRANT_ALREADY_EXISTS";
