import { useEffect, useRef, useState } from "preact/hooks";
import { moduleApi, type Refusal, type Result } from "../sdk/narthex-sdk"; // see importwords.ts
import type { CollectionContext, CollectionRow } from "./collection";
import { hasWords } from "./folding";

/** Why a request failed, with the server's code and the field that it is about. */
export interface Refused {
	readonly why: Refusal;
	readonly code: string;
	readonly field: string;
}

export function refusedOf({ why, body }: { readonly why: Refusal; readonly body: unknown }): Refused {
	const { code = "", field = "" } = (body ?? {}) as Partial<Refused>;
	return { why, code, field };
}

/** The rows of a collection, as far as they were read. */
export interface Rows<Row extends CollectionRow> {
	readonly rows: readonly Row[] | undefined;
	readonly refused: Refused | undefined;
	readonly hasMore: boolean;
	/** What is typed into the search, and the part of it that rows is the answer to. */
	readonly search: string;
	readonly asked: string;
	find(typed: string): void;
	more(): Promise<void>;
	reload(): Promise<void>;
	/** Puts a row behind another one, null: to the front. rows is what is shown meanwhile. */
	place(id: Row["id"], after: Row["id"] | null, rows?: readonly Row[]): Promise<Result<unknown>>;
}

interface Page<Row> {
	readonly rows: readonly Row[];
	readonly nextCursor: string | null;
	readonly rev: number;
}

interface RowsProps<Row> {
	readonly context: CollectionContext;
	readonly path: string;
	readonly channel?: string;
	readonly whole?: boolean;
	readonly rows?: readonly Row[];
	/** The texts of a row that are searched in a list that is there as a whole. */
	textOf(row: Row): string;
}

/** The sizes of a page: the usual one, and the largest that a server sends. */
const pageSize = 50;
const maxPageSize = 200;

/** Reads the list page by page, and again after each change. */
export function useRows<Row extends CollectionRow>(props: RowsProps<Row>): Rows<Row> {
	const { context, path, channel, whole, rows: given, textOf } = props;
	const [page, setPage] = useState<Page<Row>>();
	const [refused, setRefused] = useState<Refused>();
	const [search, find] = useState("");
	const [asked, setAsked] = useState("");
	const latest = useRef({ page, asked, reads: 0 });
	latest.current = { page, asked, reads: latest.current.reads };
	const show = (next: Page<Row>) => setPage((latest.current.page = next));
	const load = async (before?: Page<Row>): Promise<void> => {
		if (given) return;
		const own = ++latest.current.reads;
		const count = before ? pageSize : (latest.current.page?.rows.length ?? 0);
		const query = new URLSearchParams({
			limit: String(Math.min(Math.max(count, pageSize), maxPageSize)),
			...(latest.current.asked !== "" && { q: latest.current.asked }),
			...(before?.nextCursor && { cursor: before.nextCursor }),
		});
		const result = await moduleApi<never>(context, {}).send<Readonly<Record<string, unknown>>>(
			"GET",
			whole ? path : `${path}?${query}`,
		);
		if (context.signal.aborted || own !== latest.current.reads) return;
		setRefused(result.ok ? undefined : refusedOf(result));
		if (!result.ok) return;
		const { nextCursor = null, rev = 0, ...lists } = result.value as Partial<Page<Row>>;
		const read = (lists as Readonly<Record<string, readonly Row[]>>)[path.slice(path.lastIndexOf("/") + 1)];
		show({ rows: [...(before?.rows ?? []), ...(read ?? [])], nextCursor, rev });
	};
	useEffect(() => {
		const timer = setTimeout(() => setAsked(search.trim()), 200);
		return () => clearTimeout(timer);
	}, [search]);
	useEffect(() => void (whole && latest.current.page ? undefined : load()), [asked]);
	useEffect(() => {
		if (channel === undefined) return;
		let timer: ReturnType<typeof setTimeout> | undefined;
		let known: unknown;
		const hear = (message: unknown) => {
			const { rev = null } = (message ?? {}) as { readonly rev?: unknown };
			if (rev === known) return;
			known = rev;
			clearTimeout(timer);
			const later = () => void (latest.current.page?.rev === rev || load());
			timer = setTimeout(later, 200); // several changes at once are one
		};
		const stop = context.realtime(channel, { snapshot: hear, update: hear });
		return () => {
			stop();
			clearTimeout(timer);
		};
	}, []);
	const all = given ?? page?.rows;
	const local = (given ?? whole) && asked !== "";
	return {
		rows: local ? all?.filter((row) => hasWords(textOf(row), asked)) : all,
		refused,
		hasMore: !given && (page?.nextCursor ?? null) !== null,
		...{ search, asked, find },
		more: () => load(page),
		reload: () => load(),
		async place(id, after, rows) {
			const { rev = 0, nextCursor = null } = latest.current.page ?? {};
			latest.current.reads++; // the answer to a read that is under way has the old order
			if (rows) show({ rows, nextCursor, rev });
			const body = { after, rev };
			const api = moduleApi<never>(context, {});
			const result = await api.send<Pick<Page<Row>, "rev">>("PUT", `${path}/${id}/place`, body);
			if (context.signal.aborted) return result;
			if (rows && result.ok) show({ ...latest.current.page, rows, nextCursor, rev: result.value.rev });
			else await load();
			return result;
		},
	};
}
