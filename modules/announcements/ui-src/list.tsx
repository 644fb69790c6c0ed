import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal, Result } from "./api";
import type { Board } from "./board";
import { changed, ownKind, type Slide, type Standing, standingOf } from "./slide";
import { SlideView } from "./slideview";

const chips: Readonly<Record<Standing, string>> = { live: "chip ok", scheduled: "chip info", ended: "chip", off: "chip" };

/** All notices in their order, with what may be done to them. */
export function List({ board }: { readonly board: Board }) {
	const { context, api, say, manages } = board;
	const [slides, setSlides] = useState<readonly Slide[]>();
	const [refused, setRefused] = useState<Refusal>();
	const [now, setNow] = useState(context.serverNow());
	const moving = useRef(false);
	const list = useRef<HTMLOListElement>(null);

	const load = async () => {
		const answer = await api.list();
		if (context.signal.aborted) return;
		setNow(context.serverNow());
		setRefused(answer.ok ? undefined : answer.why);
		if (answer.ok) setSlides(answer.value);
	};
	useEffect(() => {
		context.setTitle(context.module.name);
		context.setDirty(false); // what was begun in the editor is kept for the way back there
		void load();
		const seen = () => {
			if (document.visibilityState === "visible") void load(); // others write, too
		};
		document.addEventListener("visibilitychange", seen);
		const timer = setInterval(() => setNow(context.serverNow()), 15_000);
		return () => {
			document.removeEventListener("visibilitychange", seen);
			clearInterval(timer);
		};
	}, []);

	/** Says what became of a write; one that was refused shows what is so instead. */
	const after = async (answer: Result<unknown>, done: string, conflict: string) => {
		context.announce(answer.ok ? done : answer.why === "conflict" ? conflict : say(answer.why), answer.ok ? "polite" : "assertive");
		await load();
	};
	const publish = async (slide: Slide) => {
		const answer = await api.edit(slide.id, changed(slide, !slide.enabled));
		await after(answer, say(slide.enabled ? "unpublished" : "published", { title: slide.title }), say("conflict"));
	};
	const move = async (slide: Slide, by: -1 | 1) => {
		if (slides === undefined || moving.current) return;
		const order = [...slides];
		const from = order.indexOf(slide);
		if (order[from + by] === undefined) return;
		order.splice(from, 1);
		order.splice(from + by, 0, slide);
		moving.current = true;
		setSlides(order);
		const answer = await api.order(order.map(({ id }) => id));
		moving.current = false;
		const words = say("moved", { title: slide.title, position: from + by + 1, count: order.length });
		await after(answer, words, say("orderConflict"));
		list.current?.querySelector<HTMLButtonElement>(`[data-move="${slide.id} ${by}"]`)?.focus(); // it went along
	};

	if (slides === undefined) {
		return refused === undefined ? <div class="loading" aria-busy="true" /> : <Unread board={board} why={refused} retry={load} />;
	}
	return (
		<div class="list">
			{manages && (
				<div class="row">
					<button type="button" class="primary" onClick={() => context.navigate("new")}>
						{say("write")}
					</button>
				</div>
			)}
			{slides.length === 0 && <p class="muted">{say(manages ? "none" : "noneToRead")}</p>}
			<ol ref={list}>
				{slides.map((slide, place) => (
					<li key={slide.id} class="card notice">
						<div class="thumbnail" aria-hidden="true">
							<SlideView title={slide.title} body={slide.body} />
						</div>
						<div class="about">
							<h2>
								<bdi>{slide.title}</bdi>
							</h2>
							{!manages && slide.body !== "" && <p class="body" dir="auto">{slide.body}</p>}
							<div class="facts">
								{manages && <span class={chips[standingOf(slide, now)]}>{say(standingOf(slide, now))}</span>}
								{slide.kind !== ownKind && <span class="chip warn">{say("otherKind")}</span>}
								<Times board={board} slide={slide} />
							</div>
						</div>
						{manages && (
							<div class="actions">
								<button type="button" aria-label={say("editOf", { title: slide.title })} onClick={() => context.navigate(`edit/${slide.id}`)}>
									{say("edit")}
								</button>
								<button
									type="button"
									class="quiet"
									aria-label={say(slide.enabled ? "unpublishOf" : "publishOf", { title: slide.title })}
									onClick={() => void publish(slide)}
								>
									{say(slide.enabled ? "unpublish" : "publish")}
								</button>
								<span class="moves">
									<Move slide={slide} by={-1} label={say("up", { title: slide.title })} idle={place === 0} move={move} />
									<Move slide={slide} by={1} label={say("down", { title: slide.title })} idle={place === slides.length - 1} move={move} />
								</span>
							</div>
						)}
					</li>
				))}
			</ol>
		</div>
	);
}

interface MoveProps {
	readonly slide: Slide;
	readonly by: -1 | 1;
	readonly label: string;
	/** At its end already. It keeps the focus, so that a row can be moved on in the other direction. */
	readonly idle: boolean;
	move(slide: Slide, by: -1 | 1): Promise<void>;
}

function Move({ slide, by, label, idle, move }: MoveProps) {
	return (
		<button
			type="button"
			class="quiet move"
			data-move={`${slide.id} ${by}`}
			aria-label={label}
			title={label}
			aria-disabled={idle}
			onClick={() => void (idle || move(slide, by))}
		>
			<svg width="18" height="18" viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
				<path d={by < 0 ? "M9 15V3M4 8l5-5 5 5" : "M9 3v12M4 10l5 5 5-5"} />
			</svg>
		</button>
	);
}

function Times({ board, slide: { startsAt, endsAt } }: { readonly board: Board; readonly slide: Slide }) {
	const { say, time } = board;
	if (startsAt !== null && endsAt !== null) return <span class="muted">{say("fromUntil", { from: time(startsAt), until: time(endsAt) })}</span>;
	if (startsAt !== null) return <span class="muted">{say("from", { time: time(startsAt) })}</span>;
	return endsAt === null ? null : <span class="muted">{say("until", { time: time(endsAt) })}</span>;
}

interface UnreadProps {
	readonly board: Board;
	readonly why: Refusal;
	retry(): Promise<void>;
}

function Unread({ board: { say }, why, retry }: UnreadProps) {
	return (
		<div class="card stack">
			<p role="alert">{say(why === "denied" ? "readDenied" : why)}</p>
			<button type="button" class="primary" onClick={() => void retry()}>
				{say("tryAgain")}
			</button>
		</div>
	);
}
