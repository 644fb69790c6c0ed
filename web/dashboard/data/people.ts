import { searchFor } from "./directory";
import type { Platform } from "./platform";
import type { Result } from "./request";
import { listOf, object, oneOf, orAbsent, orNull, text, yesOrNo } from "./shape";

const member = object({
	userId: text,
	email: orNull(text),
	name: orNull(text),
	owner: yesOrNo,
	createdAt: text,
	deactivatedAt: orNull(text),
	erasedAt: orNull(text),
	hasPasskey: orAbsent(yesOrNo),
	lastSeenAt: orAbsent(orNull(text)),
	erasurePending: orAbsent(listOf(text)),
});
const memberPage = object({ people: listOf(member), nextCursor: orNull(text) });

/** A person who has, or had, an account. */
export type Member = ReturnType<typeof member>;

/** A list that is read page by page. */
export interface Listed<Item> {
	readonly items: readonly Item[];
	/** Whether there are more items. */
	readonly more: boolean;
}

const base = "/api/v1/people";
const pageSize = "100";

/** Reads that many pages of the people found by words of name or address, or by id. */
export async function readMembers(
	platform: Platform,
	query: string,
	pages: number,
): Promise<Result<Listed<Member>>> {
	const items: Member[] = [];
	let cursor: string | null = "";
	for (let page = 0; page < pages && cursor !== null; page++) {
		const asked = new URLSearchParams({
			limit: pageSize,
			...searchFor(query),
			...(cursor && { cursor }),
		});
		const answer: Result<ReturnType<typeof memberPage>> = await platform.read(
			`${base}?${asked}`,
			memberPage,
		);
		if (!answer.ok) return answer;
		items.push(...answer.value.people);
		cursor = answer.value.nextCursor;
	}
	return { ok: true, value: { items, more: cursor !== null } };
}

/** A decision about a person, or a mail that asks them to add a passkey. */
export const decide = (
	platform: Platform,
	userId: string,
	what: "deactivate" | "reactivate" | "erase" | "remind",
): Promise<Result<Member>> => platform.send("POST", `${base}/${userId}/${what}`, {}, member);

const promised = object({ permissionId: text, expiresAt: orNull(text) });
const invitation = object({
	id: text,
	email: orNull(text),
	name: orNull(text),
	state: oneOf(["open", "accepted", "withdrawn", "expired"]),
	grants: listOf(promised),
	createdAt: text,
	createdBy: orNull(text),
	expiresAt: text,
	delivery: orNull(text),
});
const invitationPage = object({ invitations: listOf(invitation), nextCursor: orNull(text) });

export type Invitation = ReturnType<typeof invitation>;

const invitations = "/api/v1/invitations";

/** Reads that many pages of each kind of invitation that can still be sent: open and expired ones. */
export async function readInvitations(
	platform: Platform,
	pages: number,
): Promise<Result<Listed<Invitation>>> {
	const items: Invitation[] = [];
	let more = false;
	for (const state of ["open", "expired"]) {
		let cursor: string | null = "";
		for (let page = 0; page < pages && cursor !== null; page++) {
			const asked = new URLSearchParams({ state, limit: pageSize, ...(cursor && { cursor }) });
			const answer: Result<ReturnType<typeof invitationPage>> = await platform.read(
				`${invitations}?${asked}`,
				invitationPage,
			);
			if (!answer.ok) return answer;
			items.push(...answer.value.invitations.filter(({ email }) => email !== null));
			cursor = answer.value.nextCursor;
		}
		more ||= cursor !== null;
	}
	return { ok: true, value: { items, more } };
}

/** A permission that comes with an invitation. */
export interface Promised {
	readonly permissionId: string;
	readonly expiresAt?: string;
}

const outcome = object({
	email: text,
	invitation: orNull(invitation),
	replaced: yesOrNo,
	code: orNull(text),
});
const outcomes = object({ outcomes: listOf(outcome) });

/** What became of the invitation of one person: it was made, or refused with a code. */
export type InviteOutcome = ReturnType<typeof outcome>;

/** Invites people with the same permissions. The refusal of one does not concern the others. */
export async function inviteMany(
	platform: Platform,
	people: readonly { readonly email: string; readonly name?: string }[],
	grants: readonly Promised[],
): Promise<Result<readonly InviteOutcome[]>> {
	const answer = await platform.send(
		"POST",
		`${invitations}/many`,
		{
			people: people.map(({ email, name }) => ({ email, ...(name !== undefined && { name }) })),
			grants: grants.map(({ permissionId, expiresAt }) => ({
				permissionId,
				...(expiresAt !== undefined && { expiresAt }),
			})),
		},
		outcomes,
	);
	return answer.ok ? { ok: true, value: answer.value.outcomes } : answer;
}

export const sendInvitation = (platform: Platform, id: string): Promise<Result<Invitation>> =>
	platform.send("POST", `${invitations}/${id}/send`, {}, invitation);

export const withdrawInvitation = (platform: Platform, id: string): Promise<Result<Invitation>> =>
	platform.send("POST", `${invitations}/${id}/withdraw`, {}, invitation);
