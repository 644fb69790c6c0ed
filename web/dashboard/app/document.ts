import { useEffect, useRef } from "preact/hooks";
import { useDraft } from "../../kit/draft";
import type { Value, Values } from "../data/configuration";
import type { Failure, Result } from "../data/request";
import type { App } from "./app";
import type { FormName } from "./kept";

/** A document of the server that is always written as a whole. */
export interface Stored {
	readonly values: Values;
	/** Counts the writes. */
	readonly rev: number;
}

interface State {
	/** The server's values when they were last read. */
	readonly base: Values;
	readonly mine: Values;
	readonly rev: number;
	/** The keys that both have changed; what somebody else has stored is in base. */
	readonly theirs: readonly string[];
	/** The keys that somebody else has changed since the last save. */
	readonly found: readonly string[];
}

/**
 * The typed values, beside the stored ones. No typed value is lost if somebody else saves meanwhile, nor when
 * the screen is left (kit/draft).
 */
export function useDocument(app: App, form: FormName, stored: Stored) {
	const draft = useDraft<State>(app.drafts.of(form), "values", () => fresh(stored), unsaved);
	const state = draft.value;
	const latest = useRef(state);
	const take = (next: State): State => {
		latest.current = next;
		draft.set(next);
		return next;
	};
	const follow = (newer: Stored) => take(followed(latest.current, newer));
	useEffect(() => void follow(stored), [stored.rev]);
	const set = (key: string, value: Value | undefined) => {
		const mine = { ...latest.current.mine };
		if (value === undefined) delete mine[key];
		else mine[key] = value;
		take({ ...latest.current, mine });
	};
	return {
		values: state.mine,
		/** The keys that both have changed, with the value that somebody else has stored. */
		theirs: new Map(state.theirs.map((key) => [key, state.base[key]])),
		dirty: draft.dirty,
		restored: draft.restored,
		set,
		/**
		 * Writes the typed values. If somebody else has written meanwhile, it reads theirs and writes again,
		 * unless both have changed the same key: then nothing is written. It returns what is stored now, the
		 * keys of theirs that it found, and the failure, if there is one.
		 */
		save: async (
			write: (values: Values, rev: number) => Promise<Result<Stored>>,
			read: () => Promise<Result<Stored>>,
		): Promise<Saved> => {
			for (;;) {
				const { mine, rev, found } = latest.current;
				const answer = await write(mine, rev);
				if (answer.ok) {
					// What was typed while the request was under way is not saved yet.
					const sent = { ...latest.current, base: mine, theirs: [], rev: -1 };
					take({ ...followed(sent, answer.value), found: [] });
					return { is: "saved", stored: answer.value, found };
				}
				if (answer.status !== 409) return { is: "failed", failure: answer };
				const newer = await read();
				if (!newer.ok) return { is: "failed", failure: newer };
				if (newer.value.rev <= rev) return { is: "failed", failure: answer };
				if (follow(newer.value).theirs.length > 0) return { is: "conflict" };
			}
		},
		/** Replaces the typed value by the one that somebody else has stored. */
		yield: (key: string) => {
			set(key, latest.current.base[key]);
			take({ ...latest.current, theirs: latest.current.theirs.filter((other) => other !== key) });
		},
		/** Starts again with the stored values. */
		discard: () => {
			latest.current = fresh(stored);
			draft.begin(latest.current);
		},
	};
}

type Saved =
	| { readonly is: "saved"; readonly stored: Stored; readonly found: readonly string[] }
	| { readonly is: "conflict" }
	| { readonly is: "failed"; readonly failure: Failure };

const fresh = ({ values, rev }: Stored): State => ({
	base: values,
	mine: values,
	rev,
	theirs: [],
	found: [],
});

function followed(before: State, newer: Stored): State {
	if (newer.rev <= before.rev) return before;
	const stored = newer.values;
	const { values, conflicts } = merged(before.base, before.mine, stored);
	const theirs = [...new Set([...before.theirs, ...conflicts])];
	const changed = new Set([...before.found, ...changedKeys(before.base, stored)]);
	const found = [...changed].filter((key) => !theirs.includes(key));
	return { base: stored, mine: values, rev: newer.rev, theirs, found };
}

const changedKeys = (one: Values, other: Values): string[] =>
	[...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => one[key] !== other[key]);

/**
 * Merges what somebody else has stored meanwhile with the typed values. An unchanged key gets their value; a
 * key that both have changed keeps the typed value, and is listed.
 */
export function merged(
	base: Values,
	mine: Values,
	theirs: Values,
): { readonly values: Values; readonly conflicts: readonly string[] } {
	const values: Record<string, Value> = {};
	const conflicts: string[] = [];
	for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
		const touched = mine[key] !== base[key];
		const value = touched ? mine[key] : theirs[key];
		if (value !== undefined) values[key] = value;
	}
	for (const key of new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])) {
		const both = mine[key] !== base[key] && theirs[key] !== base[key];
		if (both && mine[key] !== theirs[key]) conflicts.push(key);
	}
	return { values, conflicts };
}

const unsaved = ({ base, mine }: State): boolean => changedKeys(base, mine).length > 0;
