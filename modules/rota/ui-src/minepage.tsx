import { Button, EmptyState, Field, Form, IconButton, Note, ScreenHeader, Skeleton } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Answer, Days, Mine, MyDate, Result } from "./api";
import { dayOf } from "./board";
import { Dates } from "./dates";
import { refusalIn, type Tools } from "./tools";

/** How often one's dates are read again while they are seen, milliseconds. */
const every = 60_000;

/** One's own dates and days away. */
export function MinePage({ tools }: { readonly tools: Tools }) {
	const { context, api, say, tell } = tools;
	const [mine, setMine] = useState<Mine>();
	const [refused, setRefused] = useState<Extract<Result<unknown>, { ok: false }>>();
	const asked = useRef(0);
	const load = async () => {
		const ask = ++asked.current;
		const result = await api.mine();
		if (context.signal.aborted || ask !== asked.current) return;
		setRefused(result.ok ? undefined : result);
		if (result.ok) setMine(result.value);
	};
	useEffect(() => {
		context.setTitle(say("tabMine"));
		void load();
		const stop = new AbortController();
		const seen = () => {
			if (document.visibilityState === "visible") void load();
		};
		document.addEventListener("visibilitychange", seen, stop);
		const timer = setInterval(seen, every);
		return () => {
			stop.abort();
			clearInterval(timer);
		};
	}, []);
	const answer = async (date: MyDate, said: Answer): Promise<void> => {
		const result = await api.answer(date, said);
		tell(result, say("answered"), undefined, () => answer(date, said));
		await load();
	};
	if (mine === undefined) {
		if (refused === undefined) return <Skeleton rows={4} />;
		return (
			<div class="stack">
				<Note tone="bad" role="alert">
					<p>{refusalIn(say, refused)}</p>
				</Note>
				<Button kind="primary" onPress={load}>
					{say("tryAgain")}
				</Button>
			</div>
		);
	}
	if (mine.volunteer === null) return <EmptyState title={say("notClaimed")} help={say("notClaimedHelp")} />;
	const open = mine.dates.filter(({ status }) => status === "open").length;
	return (
		<>
			<ScreenHeader sub={open > 0 ? say("openRequests", { count: open }) : undefined} />
			<div class="mine">
				{mine.dates.length === 0 ? (
					<EmptyState title={say("noDates")} help={say("noDatesHelp")} />
				) : (
					<Dates say={say} times={tools} dates={mine.dates} answer={answer} />
				)}
				<Away tools={tools} away={mine.volunteer.away} rev={mine.volunteer.rev} changed={load} />
			</div>
		</>
	);
}

interface AwayProps {
	readonly tools: Tools;
	readonly away: readonly Days[];
	readonly rev: number;
	changed(): Promise<void>;
}

const none: Days = { from: "", to: "" };

/** The days on which somebody is away. */
function Away({ tools, away, rev, changed }: AwayProps) {
	const { context, api, say, tell, day } = tools;
	const [draft, setDraft] = useState((context.drafts.get("away") as Days | undefined) ?? none);
	const [wrong, setWrong] = useState("");
	const change = (next: Days) => {
		setDraft(next);
		setWrong("");
		if (next === none) context.drafts.delete("away");
		else context.drafts.set("away", next);
		context.setDirty(next !== none);
	};
	const save = async (next: readonly Days[], done: string): Promise<boolean> => {
		const result = await api.setAway(next, rev);
		const saved = tell(result, done, undefined, () => save(next, done));
		await changed();
		return saved;
	};
	const add = async () => {
		const to = draft.to || draft.from;
		if (draft.from === "") return setWrong(say("dayNeeded"));
		if (to < draft.from) return setWrong(say("endBeforeStart"));
		if (away.some(({ from }) => from === draft.from)) return setWrong(say("dayTwice"));
		if (await save([...away, { from: draft.from, to }], say("awaySaved"))) change(none);
	};
	const remove = async (gone: Days): Promise<void> => {
		await save(
			away.filter((days) => days !== gone),
			say("awayRemoved"),
		);
	};
	const today = dayOf(context.serverNow());
	const words = ({ from, to }: Days) =>
		from === to ? day(from) : say("fromTo", { from: day(from), to: day(to) });
	return (
		<section class="card stack">
			<h2>{say("awayTitle")}</h2>
			<ul class="days">
				{away
					.filter(({ to }) => to >= today)
					.map((days) => (
						<li key={days.from}>
							{words(days)}
							<IconButton
								icon="trash"
								label={say("removeOf", { name: words(days) })}
								onPress={() => remove(days)}
							/>
						</li>
					))}
			</ul>
			<Form class="away" onSubmit={add}>
				<Field
					label={say("firstDay")}
					error={wrong || undefined}
					control={(control) => (
						<input
							{...control}
							type="date"
							min={today}
							value={draft.from}
							onInput={({ currentTarget: { value } }) => change({ ...draft, from: value })}
						/>
					)}
				/>
				<Field
					label={say("lastDay")}
					optional
					control={(control) => (
						<input
							{...control}
							type="date"
							min={draft.from || today}
							value={draft.to}
							onInput={({ currentTarget: { value } }) => change({ ...draft, to: value })}
						/>
					)}
				/>
				<Button submit>{say("addAway")}</Button>
			</Form>
		</section>
	);
}
