import { useEffect, useState } from "preact/hooks";
import type { Configuration, Value, Values } from "../../data/configuration";
import { merged, sameValues, storedIn } from "./values";

interface State {
	/** The server's values when they were last read. */
	readonly base: Values;
	readonly mine: Values;
	readonly rev: number;
	/** The keys that both have changed, with the value that somebody else has stored. */
	readonly theirs: ReadonlyMap<string, Value | undefined>;
}

/** The typed values, beside the stored ones. If somebody else saves meanwhile, no typed value is lost. */
export function useDraft(view: Configuration) {
	const [state, setState] = useState<State>(() => fresh(view));
	const follow = (newer: Configuration) =>
		setState((before) => {
			if (newer.rev <= before.rev) return before;
			const stored = storedIn(newer);
			const { values, conflicts } = merged(before.base, before.mine, stored);
			const theirs = new Map([...before.theirs, ...conflicts.map((key) => [key, stored[key]] as const)]);
			return { base: stored, mine: values, rev: newer.rev, theirs };
		});
	useEffect(() => follow(view), [view]);
	const set = (key: string, value: Value | undefined) =>
		setState((before) => {
			const mine = { ...before.mine };
			if (value === undefined) delete mine[key];
			else mine[key] = value;
			return { ...before, mine };
		});
	return {
		values: state.mine,
		rev: state.rev,
		theirs: state.theirs,
		dirty: !sameValues(state.base, state.mine),
		set,
		follow,
		/** Replaces the typed value by the one that somebody else has stored. */
		yield: (key: string) => {
			set(key, state.theirs.get(key));
			setState((before) => ({
				...before,
				theirs: new Map([...before.theirs].filter(([other]) => other !== key)),
			}));
		},
		/** Starts again with the stored values. */
		reset: (stored: Configuration) => setState(fresh(stored)),
	};
}

const fresh = (view: Configuration): State => ({
	base: storedIn(view),
	mine: storedIn(view),
	rev: view.rev,
	theirs: new Map(),
});
