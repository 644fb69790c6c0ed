import {
	Button, EmptyState, type MenuItem, Note, placed, ScreenHeader, Skeleton, ZoneNote,
} from "@narthex/kit";
import type { Action } from "@narthex/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Shown } from "../display-src/board";
import type { Board, Refusal, Result } from "./api";
import { BoardNow } from "./boardnow";
import { askToDelete } from "./delete";
import { Exchange } from "./exchange";
import { Managed } from "./managed";
import { Read } from "./notice";
import { changed, type Slide, type Status, statusOf } from "./slide";
import type { Tools } from "./tools";

/** The header's actions while the list loads: their place, so that nothing moves when they come. */
const unseen = { display: "contents", visibility: "hidden" } as const;

interface ListProps {
	readonly tools: Tools;
	/** How many slides are drawn. */
	readonly drawn: number;
	/** Draws more of them. */
	more(): void;
	/** Draws all of them. */
	all(): void;
}

/** The slides in their order, with their actions. */
export function List({ tools, drawn, more, all }: ListProps) {
	const { context, api, say, manages } = tools;
	const [board, setBoard] = useState<Board>();
	const [refused, setRefused] = useState<Refusal>();
	const [now, setNow] = useState(context.serverNow());
	const [shown, setShown] = useState<Shown>();
	const asked = useRef(0);
	const follow = useRef<ReturnType<typeof setTimeout>>(undefined);

	const load = async () => {
		const ask = ++asked.current;
		const result = await api.list();
		if (context.signal.aborted || ask !== asked.current) return;
		setNow(context.serverNow());
		setRefused(result.ok ? undefined : result.why);
		if (result.ok) setBoard(result.value);
	};
	useEffect(() => {
		context.setTitle(context.module.name);
		void load();
		const stop = new AbortController();
		const seen = () => {
			if (document.visibilityState === "visible") void load(); // somebody else may have changed the board
		};
		document.addEventListener("visibilitychange", seen, stop);
		const timer = setInterval(() => setNow(context.serverNow()), 15_000);
		return () => {
			stop.abort();
			clearInterval(timer);
			clearTimeout(follow.current);
		};
	}, []);

	/** Shows the result of a write, and the current list. */
	const after = async (
		result: Result<unknown>,
		done: string,
		undo: Action | undefined,
		again: () => unknown,
		conflict: string,
	) => {
		if (result.ok) context.announce(done, "polite", undo);
		else {
			const retries = !["denied", "conflict", "gone", "notPublished"].includes(result.why);
			const words = result.why === "conflict" ? conflict : say(result.why);
			context.announce(words, "assertive", retries ? { label: say("tryAgain"), run: again } : undefined);
		}
		await load();
	};
	const publish = async (slide: Slide) => {
		const result = await api.edit(slide.id, changed(slide, !slide.enabled));
		const words = say(slide.enabled ? "unpublished" : "published", { title: slide.title });
		const back = result.ok ? { label: say("undo"), run: () => publish(result.value) } : undefined;
		await after(result, words, back, () => publish(slide), say("conflict"));
	};
	const move = async (id: string, to: number, from: Board | undefined = board) => {
		const slide = from?.slides.find((candidate) => candidate.id === id);
		if (from === undefined || slide === undefined) return;
		const order = placed(
			from.slides.map((one) => one.id),
			id,
			to,
		);
		const byId = new Map(from.slides.map((one) => [one.id, one]));
		asked.current++; // an older response must not replace the current list
		setBoard({ ...from, slides: order.flatMap((one) => byId.get(one) ?? []) });
		const result = await api.place(id, order[to - 1] ?? null, from.rev);
		// the next move needs it at once, and the list may be read again by something else meanwhile
		if (result.ok) setBoard((known) => known && { ...known, rev: result.value.rev });
		const words = say("moved", { title: slide.title, position: to + 1, count: order.length });
		await after(result, words, undefined, () => move(id, to), say("orderConflict"));
	};
	const show = async (slide: Slide) => {
		const result = await api.show(slide.id);
		const back = { label: say("undo"), run: () => endShow(slide) };
		await after(result, say("shown", { title: slide.title }), back, () => show(slide), say("conflict"));
	};
	const endShow = async (slide: Slide) => {
		const result = await api.endShow(slide.id);
		await after(result, say("showEnded"), undefined, () => endShow(slide), say("conflict"));
	};
	/**
	 * The board has changed, perhaps by somebody else. The list is fetched again, once for changes close
	 * together.
	 */
	const boardChanged = (by: Shown | undefined) => {
		setShown(by);
		setNow(context.serverNow());
		clearTimeout(follow.current);
		follow.current = setTimeout(() => void load(), 300);
	};
	const remove = async (slide: Slide) => {
		if (!(await askToDelete(tools, slide.title))) return;
		await after(await api.remove(slide.id), say("deleted"), undefined, () => remove(slide), say("conflict"));
	};

	const otherKinds = useOtherKinds(tools);
	const imported = (added: number) => {
		if (added > 0) all();
		void load();
	};
	const write = (
		<>
			<Button kind="primary" icon="plus" onPress={() => context.navigate("new")}>
				{say("write")}
			</Button>
			<Exchange tools={tools} also={otherKinds} imported={imported} />
		</>
	);
	if (board === undefined) {
		return refused === undefined ? (
			<>
				<ScreenHeader sub={"\u00a0"} actions={manages && <span style={unseen}>{write}</span>} />
				<Skeleton rows={6} />
			</>
		) : (
			<Unread tools={tools} why={refused} retry={load} />
		);
	}
	const counts = countsOf(board.slides, now);
	const slides = board.slides.slice(0, drawn);
	const byHand = shown !== undefined && Date.parse(shown.until) > now ? shown : undefined;
	return (
		<>
			<ScreenHeader
				sub={
					<>
						{say("counts", counts)}
						<ZoneNote after />
					</>
				}
				actions={manages && write}
			/>
			{board.slides.length === 0 ? (
				<EmptyState
					title={say(manages ? "none" : "noneToRead")}
					{...(manages && { help: say("noneHelp") })}
				/>
			) : manages ? (
				<>
					<BoardNow tools={tools} shown={byHand} changed={boardChanged} />
					<Managed
						{...{ tools, slides, now, publish, move, remove, show, endShow }}
						shown={byHand?.id}
					/>
				</>
			) : (
				<ol class="read">
					{slides.map((slide) => (
						<Read key={slide.id} tools={tools} slide={slide} now={now} />
					))}
				</ol>
			)}
			{slides.length < board.slides.length && (
				<div class="d-row further">
					<Button onPress={more}>{say("showMore")}</Button>
				</div>
			)}
		</>
	);
}

function countsOf(slides: readonly Slide[], now: number): Record<"live" | "scheduled", number> {
	const count = (status: Status) => slides.filter((slide) => statusOf(slide, now) === status).length;
	return { live: count("live"), scheduled: count("scheduled") };
}

/** A way to add each kind of slide that other modules contribute. */
function useOtherKinds({ context, kinds, say }: Tools): readonly MenuItem[] {
	const [labels, setLabels] = useState<ReadonlyMap<string, string>>(new Map());
	useEffect(() => {
		const named = kinds.ids.map(async (id) => [id, (await kinds.load(id))?.label(context.locale)] as const);
		void Promise.all(named).then((all) =>
			setLabels(new Map(all.flatMap(([id, label]) => (label === undefined ? [] : [[id, label]])))),
		);
	}, []);
	return [...labels].map(([id, label]) => ({
		id,
		label: say("newOf", { label }),
		icon: "plus",
		onPick: () => context.navigate(`new/${id}`),
	}));
}

interface UnreadProps {
	readonly tools: Tools;
	readonly why: Refusal;
	retry(): Promise<void>;
}

function Unread({ tools: { say }, why, retry }: UnreadProps) {
	return (
		<div class="d-stack">
			<Note tone="bad" role="alert">
				<p>{say(why === "denied" ? "readDenied" : why)}</p>
			</Note>
			<Button kind="primary" onPress={retry}>
				{say("tryAgain")}
			</Button>
		</div>
	);
}
