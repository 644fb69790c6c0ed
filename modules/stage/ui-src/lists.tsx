import { Button, Note } from "@narthex/kit";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Page, Refusal, Result } from "./api";
import type { Tools } from "./tools";

/** A list on a page; rows is undefined until the first page was read. */
export interface Listed<Row> {
	readonly rows: readonly Row[] | undefined;
	readonly refused: Refusal | undefined;
	/** There are further rows, which more() adds. */
	readonly hasMore: boolean;
	more(): Promise<void>;
	reload(): Promise<void>;
}

/** Reads a list page by page, and again after changes of services or songs by others. */
export function useList<Row>(
	{ context }: Tools,
	read: (cursor?: string) => Promise<Result<Page<Row>>>,
	of: string,
): Listed<Row> {
	const [page, setPage] = useState<Page<Row>>();
	const [refused, setRefused] = useState<Refusal>();
	const asked = useRef(0);
	const load = async (before?: Page<Row>) => {
		const ask = ++asked.current;
		const result = await read(before?.nextCursor ?? undefined);
		if (context.signal.aborted || ask !== asked.current) return;
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		setPage({ ...result.value, rows: [...(before?.rows ?? []), ...result.value.rows] });
	};
	const latest = useRef(load);
	latest.current = load;
	useEffect(() => void load(), [of]);
	useChanges(context, () => void latest.current());
	return {
		rows: page?.rows,
		refused,
		hasMore: (page?.nextCursor ?? null) !== null,
		more: () => load(page),
		reload: () => load(),
	};
}

/** Calls the listener when somebody has changed services or songs, once for changes close together. */
export function useChanges(context: Tools["context"], changed: () => void): void {
	const latest = useRef(changed);
	latest.current = changed;
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		let known: number | undefined;
		const told = ({ rev }: { readonly rev: number }) => {
			const again = known !== undefined && rev > known;
			known = rev;
			if (!again) return;
			clearTimeout(timer);
			timer = setTimeout(() => latest.current(), 200);
		};
		const stop = context.realtime<{ rev: number }, { rev: number }>("plans", { snapshot: told, update: told });
		return () => {
			stop();
			clearTimeout(timer);
		};
	}, []);
}

interface UnreadProps {
	readonly tools: Tools;
	readonly why: Refusal;
	retry(): unknown;
}

export function Unread({ tools: { say }, why, retry }: UnreadProps) {
	return (
		<div class="d-stack">
			<Note tone="bad" role="alert">
				<p>{say(why)}</p>
			</Note>
			<Button kind="primary" onPress={retry}>
				{say("tryAgain")}
			</Button>
		</div>
	);
}

interface LinkProps {
	readonly tools: Tools;
	readonly to: string;
	readonly class?: string;
	readonly children: ComponentChildren;
}

/** A link to another screen of the module. */
export function Link({ tools: { context }, to, class: name, children }: LinkProps) {
	return (
		<a
			class={name}
			href={`#/m/${context.module.id}/${to}`}
			onClick={(event) => {
				if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
				event.preventDefault();
				context.navigate(to);
			}}
		>
			{children}
		</a>
	);
}
