import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button";
import type { Question } from "./dialog";
import { Note } from "./layout";
import { k } from "./words";

/** What is typed into a form. It outlives the form unless it is saved or discarded. */
export interface Draft<Value> {
	readonly value: Value;
	/** The value differs from the one with which the form began. */
	readonly dirty: boolean;
	/** The value was typed before the form was opened. */
	readonly restored: boolean;
	/** Sets the value, or changes the latest one. */
	set(value: Value | ((before: Value) => Value)): void;
	/** Begins again with a stored value. What was typed is forgotten. */
	begin(value: Value): void;
	/** Begins again with the value with which the form began. */
	discard(): void;
}

/** Keeps drafts: the `drafts` of a module's context. */
interface Keeper {
	get(key: string): unknown;
	set(key: string, value: unknown): void;
	delete(key: string): void;
	form(key: string): () => void;
}

interface State<Value> {
	readonly value: Value;
	readonly base: Value;
	readonly restored: boolean;
}

/**
 * The value of a form. A form that is left by any way but Save or Cancel keeps it: the person is told, and
 * finds it when the form is opened again (DraftNote).
 */
export function useDraft<Value>(
	drafts: Keeper,
	key: string,
	/** The stored value, or that of a new one. Without it the form calls begin, unless a draft was restored. */
	initial: Value | (() => Value),
	/** Compares a value with the one with which the form began. */
	differs: (value: Value, base: Value) => boolean = unlike,
): Draft<Value> {
	const [state, setState] = useState<State<Value>>(() => {
		const kept = drafts.get(key) as State<Value> | undefined;
		if (kept !== undefined) return { ...kept, restored: true };
		const value = initial instanceof Function ? initial() : initial;
		return { value, base: value, restored: false };
	});
	const latest = useRef(state); // several values may be set before the next rendering
	const take = (next: State<Value>) => {
		const dirty = differs(next.value, next.base);
		latest.current = dirty ? next : { ...next, restored: false };
		setState(latest.current);
		if (dirty) drafts.set(key, next);
		else drafts.delete(key);
	};
	const begin = (value: Value) => take({ value, base: value, restored: false });
	useLayoutEffect(() => drafts.form(key), []);
	return {
		value: state.value,
		dirty: differs(state.value, state.base),
		restored: state.restored,
		set: (value) => {
			const { current } = latest;
			take({ ...current, value: value instanceof Function ? value(current.value) : value });
		},
		begin,
		discard: () => begin(latest.current.base),
	};
}

const unlike = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

type Typed = Pick<Draft<unknown>, "dirty" | "restored" | "discard">;

interface DraftNoteProps {
	readonly draft: Typed;
	/** Discards the draft; by default the form shows its initial values again. */
	discard?(): unknown;
}

/** At the start of a form: says that its text is a draft from before, and discards it. */
export function DraftNote({ draft, discard }: DraftNoteProps) {
	if (!draft.restored || !draft.dirty) return null;
	const press = async (form: Element | null | undefined) => {
		await (discard ?? draft.discard)();
		form?.querySelector<HTMLElement>("input, textarea, select")?.focus(); // the button is gone
	};
	return (
		<Note role="status">
			<p>
				{k("draftKept")}{" "}
				<Button
					kind="text"
					small
					onPress={({ currentTarget }) => press(currentTarget.closest(".d-note")?.parentElement)}
				>
					{k("discard")}
				</Button>
			</p>
		</Note>
	);
}

interface OtherVersionProps {
	/** Each field's label, and its text in both versions. */
	readonly fields: readonly (readonly [label: string, mine: string, theirs: string])[];
}

/** What somebody else has saved meanwhile, of the fields in which it differs from what is typed. */
export function OtherVersion({ fields }: OtherVersionProps) {
	return (
		<dl class="d-version">
			{fields.map(
				([label, mine, theirs]) =>
					mine !== theirs && (
						<div key={label}>
							<dt>{label}</dt>
							<dd dir="auto">{theirs || "–"}</dd>
						</div>
					),
			)}
		</dl>
	);
}

type Asking = Required<Omit<Question, "aside">>;

/**
 * For Cancel and Escape: whether the form may be closed. What was typed is discarded, after the person has
 * agreed.
 */
export async function mayClose(draft: Typed, ask: (question: Asking) => Promise<boolean>): Promise<boolean> {
	const question = {
		title: k("discardTitle"),
		body: [k("leaveHelp")],
		yes: k("discard"),
		no: k("stay"),
		danger: true,
	};
	if (draft.dirty && !(await ask(question))) return false;
	draft.discard();
	return true;
}
