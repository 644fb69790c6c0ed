import { useLayoutEffect, useState } from "preact/hooks";
import type { App } from "./app";

/**
 * State of a form that outlives the session: when it ends, whoever signs in again finds what they have typed.
 * It ends when its form is closed, because the person has left it, and with the page.
 */
export function useKept<Value>(
	app: App,
	/** The form; a module's id cannot contain a slash, so it differs from all of them. */
	form: `admin/${string}` | `own/${string}`,
	key: string,
	initial: Value | (() => Value),
): readonly [Value, (value: Value) => void] {
	const drafts = app.drafts.of(form);
	const [value, setValue] = useState<Value>(() => {
		const kept = drafts.get(key) as { readonly value: Value } | undefined;
		if (kept !== undefined) return kept.value;
		return initial instanceof Function ? initial() : initial;
	});
	useLayoutEffect(() => drafts.set(key, { value }), [value]);
	useLayoutEffect(
		() => () => {
			if (app.session.who.peek().is === "person") drafts.delete(key);
		},
		[],
	);
	return [value, setValue];
}
