import type { Platform } from "./platform";
import type { Result } from "./request";
import { listOf, object, orNull, text, yesOrNo } from "./shape";

const person = object({ userId: text, email: orNull(text), name: orNull(text), owner: yesOrNo });

/** A page of the directory. */
export const people = object({ people: listOf(person), nextCursor: orNull(text) });

/** A person with what distinguishes them from another one of the same name. */
export type Person = ReturnType<typeof person>;

/**
 * The query of a search, in a form that the server takes: what is pasted may have tabs, or be longer than
 * every name.
 */
export function searchFor(typed: string): { readonly query?: string } {
	const query = [...typed.replace(/[\s\p{Cc}]+/gu, " ").trim()].slice(0, 100).join("");
	return query === "" ? {} : { query };
}

/** The people found by words of name or address, or by id. */
export const findPeople = async (platform: Platform, query: string): Promise<Result<readonly Person[]>> => {
	const asked = new URLSearchParams({ limit: "50", ...searchFor(query) });
	const answer = await platform.read(`/api/v1/people?${asked}`, people);
	return answer.ok ? { ok: true, value: answer.value.people } : answer;
};
