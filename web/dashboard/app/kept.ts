import { useLayoutEffect, useState } from "preact/hooks";
import type { App } from "./app";

/** A form of the Dashboard; a module's id cannot contain a slash, so it differs from all of them. */
export type FormName = `admin/${string}` | `own/${string}`;

/**
 * State of a screen that outlives the session, such as which dialog is open: when the session ends, whoever
 * signs in again finds it. It ends when the screen is left. Typed words are drafts (kit/draft).
 */
export function useKept<Value>(
	app: App,
	form: FormName,
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
