import {
	Button, Checkbox, DraftNote, Form, mayClose, Note, OtherVersion, ScreenHeader, Segments, Skeleton, TextField,
	useDraft,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { droppedOf, existingOf, type Refusal, type Result, takenOf } from "./api";
import { ClockField } from "./clockfield";
import { clockOf, dayOf, plusDays } from "./days";
import {
	type Draft,
	draftOf,
	maxText,
	maxTitle,
	movedTo,
	newDraft,
	type Problems,
	problemsOf,
} from "./draft";
import { submissionOf, withStart } from "./draft";
import { DroppedNote } from "./droppednote";
import type { Dropped, Event, Room, Taken } from "./event";
import type { EditPage } from "./pages";
import { mayChange, mayConcern } from "./hangs";
import { RepeatFields } from "./repeatfields";
import { once, sentenceOf } from "./repeat";
import { RoomFields, TakenNote } from "./roomfields";
import { namesOf, tell, type Tools } from "./tools";

interface EditorProps {
	readonly tools: Tools;
	readonly page: EditPage;
	readonly subpath: string;
}

/** What is typed, and the rev of the event as it was read. */
interface Edited {
	readonly draft: Draft;
	readonly rev: number | undefined;
	/** It is a service; undefined: nobody plans services here, so there is no choice. */
	readonly service: boolean | undefined;
	/** The event as it was read. */
	readonly was?: Draft;
}

/** Edits an event: a new one, all dates of one, one date, or all dates from one on. */
export function Editor({ tools, page, subpath }: EditorProps) {
	const { context, api, say } = tools;
	const { id, scope, date } = page;
	const edited = useDraft<Edited | undefined>(context.drafts, subpath, undefined);
	const { draft, rev, service, was } = edited.value ?? {};
	const [known, setKnown] = useState<readonly Room[]>(); // undefined until they are read
	const rooms = known ?? [];
	const [problems, setProblems] = useState<Problems>({});
	const [refused, setRefused] = useState<Refusal>();
	const [taken, setTaken] = useState<readonly Taken[]>([]);
	const [dropped, setDropped] = useState<readonly Dropped[]>([]);
	const [exist, setExist] = useState<readonly string[]>([]);
	/** What somebody else has saved meanwhile. */
	const [theirs, setTheirs] = useState<Edited>();
	const [busy, setBusy] = useState(false);

	const fresh = async (): Promise<Edited | undefined> => {
		if (id === undefined) {
			const utc = new Date(context.serverNow()).toISOString();
			const house = await api.window(dayOf(utc), plusDays(dayOf(utc), 1));
			if (context.signal.aborted) return undefined;
			if (!house.ok) return void setRefused(house.why);
			const now = clockOf(house.value.zone, context.serverNow());
			const chooses = tools.plans && house.value.services === "here";
			return {
				draft: newDraft(date === "" ? dayOf(now) : date, now),
				...{ rev: undefined, service: chooses ? !tools.manages : undefined },
			};
		}
		const [result, days] = await Promise.all([api.event(id), scope === "one" ? ownOf(date) : undefined]);
		if (context.signal.aborted) return undefined;
		if (!result.ok) return void setRefused(result.why);
		const whole = draftOf(result.value);
		const draft = scope === "all" ? whole : (days ?? movedTo(whole, date));
		if (result.value.service) return { draft, rev: result.value.rev, service: true, was: draft };
		return { draft, rev: result.value.rev, service: undefined, was: draft };
	};
	/** The current data of one date, if it differs from the others. */
	const ownOf = async (at: string): Promise<Draft | undefined> => {
		const result = await api.window(dayOf(at), plusDays(dayOf(at), 1));
		const one =
			result.ok && result.value.occurrences.find(({ event, date: on }) => event === id && on === at);
		return one ? draftOf({ ...one, rule: "" }) : undefined;
	};
	const open = async () => {
		const all = await api.rooms();
		if (context.signal.aborted) return;
		if (!all.ok) return setRefused(all.why);
		setKnown(all.value.rooms);
		if (!edited.restored) show(await fresh());
	};
	const show = (found: Edited | undefined) => {
		if (found === undefined) return;
		edited.begin(found);
		setRefused(undefined);
	};
	useEffect(() => {
		context.setTitle(say(id === undefined ? "newTitle" : `title_${scope}`));
		void open();
	}, []);

	const change = (part: Partial<Draft>) => {
		edited.set((before) => before && { ...before, draft: { ...before.draft, ...part } });
		setTaken([]);
	};
	const leave = () => {
		const day = draft === undefined ? "" : dayOf(draft.start);
		edited.discard();
		context.navigate(day === "" ? "" : `month/${day}`);
	};
	const cancel = async () => {
		if (await mayClose(edited, context.confirm)) leave();
	};
	const send = (seen: number | undefined, exceptions: string): Promise<Result<Event>> => {
		const mine = draft as Draft;
		const sent = service ? { ...mine, allDay: false, text: "", repeat: once } : mine;
		const body = { ...submissionOf(sent, seen, scope !== "one"), ...(exceptions && { exceptions }) };
		if (service) return id === undefined ? api.createService(body) : api.editService(id, body);
		if (id === undefined) return api.create(body);
		if (scope === "one") return api.editDate(id, date, body);
		return scope === "following" ? api.editFollowing(id, date, body) : api.edit(id, body);
	};
	const save = async (seen: number | undefined, exceptions: "" | "move" | "drop" = "") => {
		if (draft === undefined || busy) return;
		const found = problemsOf(service ? { ...draft, allDay: false, repeat: once } : draft);
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		setBusy(true);
		const moves = service && id !== undefined && was !== undefined && was.start !== draft.start;
		if (moves && !(await mayChange(tools, id, was.title, "move"))) {
			if (!context.signal.aborted) setBusy(false);
			return;
		}
		if (id !== undefined && !service && exceptions === "" && !(await mayMove(id, draft))) {
			if (!context.signal.aborted) setBusy(false);
			return;
		}
		const result = await send(seen, exceptions);
		if (context.signal.aborted) return;
		setBusy(false);
		setTheirs(undefined); // another one may have been saved since
		setRefused(result.ok ? undefined : result.why);
		setTaken(takenOf(result));
		setDropped(droppedOf(result));
		setExist(existingOf(result).map((time) => tools.forms.time(time)));
		if (!result.ok) return result.why === "conflict" ? setTheirs(await fresh()) : undefined;
		const undo = () => back(result.value);
		context.announce(say("saved"), "polite", moves ? { label: say("undo"), run: undo } : undefined);
		leave();
	};
	/** Asks whoever gives dates another time, for which people have signed up. */
	const mayMove = (event: string, mine: Draft): Promise<boolean> => {
		if (was === undefined) return Promise.resolve(true);
		const series = scope !== "one" && was.repeat.unit !== "";
		const moved = was.start !== mine.start || was.end !== mine.end || was.allDay !== mine.allDay;
		const otherwise = series && JSON.stringify(was.repeat) !== JSON.stringify(mine.repeat);
		if (!moved && !otherwise) return Promise.resolve(true);
		const concerns = (at: { readonly date: string }) =>
			scope === "all" || (scope === "one" ? at.date === date : at.date >= date);
		return mayConcern(tools, { event, title: was.title, deed: series ? "change" : "move", concerns });
	};
	/** Moves a service back to where it was. */
	const back = async (moved: Event): Promise<void> => {
		const before = submissionOf(was as Draft, moved.rev, false);
		tell(tools, await api.editService(moved.id, before), say("restored"), () => back(moved));
	};

	const notice = refused !== undefined && (
		<Note tone="bad" role="alert">
			<p>{say(refused, { first: exist[0] ?? "", second: exist[1] ?? "" })}</p>
			<TakenNote {...{ tools, taken, rooms }} />
			{refused === "exceptionsDropped" && (
				<DroppedNote {...{ tools, dropped, busy }} save={(exceptions) => save(rev, exceptions)} />
			)}
			{refused === "conflict" && theirs && draft && (
				<>
					<OtherVersion fields={fieldsOf(tools, rooms, draft, theirs.draft)} />
					<div class="d-row">
						<Button onPress={() => show(theirs)}>{say("takeTheirs")}</Button>
						<Button onPress={() => save(theirs.rev)}>{say("keepMine")}</Button>
					</div>
				</>
			)}
		</Note>
	);
	if (draft === undefined) {
		if (refused === undefined) return <Skeleton shape="form" />;
		return (
			<div class="d-stack">
				{notice}
				<div class="d-row">
					{["offline", "busy", "failed"].includes(refused) && (
						<Button kind="primary" onPress={open}>
							{say("tryAgain")}
						</Button>
					)}
					<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>
				</div>
			</div>
		);
	}
	return (
		<>
			<ScreenHeader sub={scope === "all" ? undefined : say(`help_${scope}`)} />
			<Form onSubmit={() => save(rev)}>
				<DraftNote draft={edited} discard={async () => show(await fresh())} />
				{notice}
				{id === undefined && service !== undefined && tools.manages && (
					<Segments
						name="kind"
						label={say("kind")}
						chosen={service ? "service" : "event"}
						segments={(["event", "service"] as const).map((one) => ({ id: one, label: say(one) }))}
						onChoose={(one) => edited.set((before) => before && { ...before, service: one === "service" })}
					/>
				)}
				<TextField
					label={say("title")}
					required
					maxLength={maxTitle}
					value={draft.title}
					error={problems.title && say(problems.title)}
					onInput={(title) => change({ title })}
				/>
				{scope !== "one" && !service && (
					<Checkbox
						label={say("allDayLong")}
						checked={draft.allDay}
						onChange={(allDay) => change({ allDay })}
					/>
				)}
				<div class="pair">
					<ClockField
						{...{ tools, allDay: draft.allDay && !service, label: say("begins"), value: draft.start }}
						error={problems.start && say(problems.start)}
						onInput={(start) => change(withStart(draft, start))}
					/>
					<ClockField
						{...{
							tools,
							allDay: draft.allDay && !service,
							label: say(draft.allDay && !service ? "lastDay" : "ends"),
							value: draft.end,
						}}
						error={problems.end && say(problems.end)}
						onInput={(end) => change({ end })}
					/>
				</div>
				{scope !== "one" && !service && (
					<RepeatFields
						{...{ tools, repeat: draft.repeat, start: dayOf(draft.start) }}
						error={problems.until && say(problems.until)}
						onChange={(repeat) => change({ repeat })}
					/>
				)}
				{known && (
					<RoomFields
						{...{ tools, rooms, chosen: draft.rooms }}
						onChange={(chosen) => change({ rooms: chosen })}
					/>
				)}
				{!service && (
					<TextField
						label={say("text")}
						optional
						lines={4}
						maxLength={maxText}
						value={draft.text}
						onInput={(text) => change({ text })}
					/>
				)}
				<div class="d-row">
					<Button submit kind="primary" busy={busy} busyWords={say("saving")}>
						{say("save")}
					</Button>
					<Button onPress={() => void cancel()}>{say("cancel")}</Button>
				</div>
			</Form>
		</>
	);
}

/** The fields of one's own and the other version, in words. */
function fieldsOf(tools: Tools, rooms: readonly Room[], mine: Draft, theirs: Draft) {
	const { say, forms } = tools;
	const inWords = ({ title, text, allDay, start, end, repeat, rooms: booked }: Draft) => {
		const when = (at: string) =>
			at.length < 16 ? at : forms.longDay(dayOf(at)) + (allDay ? "" : `, ${forms.time(at)}`);
		return [
			[say("title"), title],
			[say("allDayLong"), allDay ? "✓" : ""],
			[say("begins"), when(start)],
			[say("ends"), when(end)],
			[say("repeats"), start.length < 16 ? "" : sentenceOf(tools, repeat, start)],
			[say("rooms"), namesOf(rooms, booked)],
			[say("text"), text],
		] as const;
	};
	const other = inWords(theirs);
	return inWords(mine).map(([label, words], at) => [label, words, other[at]?.[1] ?? ""] as const);
}
