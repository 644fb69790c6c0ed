import {
	Button, IconButton, Menu, Note, ScreenHeader, Segments, SelectField, Skeleton, ZoneNote,
} from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { clockOf, dayOf, firstOfMonth, firstOfWeek, plusDays, plusMonths, weeksOf } from "./days";
import { Details } from "./details";
import type { Occurrence, Window } from "./event";
import { List } from "./list";
import { Month } from "./month";
import type { View, ViewPage } from "./pages";
import type { Tools } from "./tools";
import { WaitingNote } from "./waiting";
import { Week } from "./week";

/** How many days the list shows. */
const listed = 31;
/**
 * After so many milliseconds without a further move, the address follows. A key that is held down would
 * otherwise fill the browser's history, and some browsers refuse a hundred changes of the address.
 */
const rest = 250;
/** How often an open calendar looks whether another day has begun, in milliseconds. */
const minute = 60_000;
/** Below this width a month is shown as a list. */
const gridWidth = 600;

interface ScreenProps {
	readonly tools: Tools;
	readonly page: ViewPage;
}

/** The first day that a view shows, and the day after its last. */
function spanOf(view: View, day: string, begins: number): readonly [string, string] {
	if (view === "list") return [day, plusDays(day, listed)];
	const first = firstOfWeek(view === "week" ? day : firstOfMonth(day), begins);
	return [first, plusDays(first, 7 * (view === "week" ? 1 : weeksOf(day, begins).length))];
}

/** The day after moving one view forward or back. */
function stepFrom(view: View, day: string, by: 1 | -1): string {
	return view === "month" ? plusMonths(day, by) : plusDays(day, by * (view === "week" ? 7 : listed));
}

/** Month, week and list, and the navigation between them. */
export function Screen({ tools, page: opened }: ScreenProps) {
	const [page, setPage] = useState(opened);
	const moving = useRef<ReturnType<typeof setTimeout>>(undefined);
	const moved = useRef<ViewPage>(undefined);
	useEffect(() => {
		const { view, day } = moved.current ?? {};
		moved.current = undefined;
		if (view === opened.view && day === opened.day) return; // the person may have moved on since
		clearTimeout(moving.current);
		setPage(opened);
	}, [opened.view, opened.day]);
	const { context, api, say, forms, manages, plans } = tools;
	const [shown, setShown] = useState<Window>();
	const [refused, setRefused] = useState<Refusal>();
	const [room, setRoom] = useState("");
	const [chosen, setChosen] = useState<Occurrence>();
	const [theme, setTheme] = useState(context.theme);
	useEffect(() => context.onTheme(setTheme), []);
	const [narrow, setNarrow] = useState(false);
	const frame = useRef<HTMLDivElement>(null);
	const asked = useRef(0);
	const soon = useRef<ReturnType<typeof setTimeout>>(undefined);
	const begins = shown?.weekStartsOn === "sunday" ? 6 : 0;
	const todayOf = ({ zone, today: known }: Pick<Window, "zone" | "today">): string => {
		const now = dayOf(clockOf(zone, context.serverNow()));
		return now > known ? now : known; // this browser's clock stands still while the machine sleeps
	};
	const today = todayOf(shown ?? { zone: "UTC", today: "" });
	const [, showDay] = useState(today);
	const day = page.day === "" ? today : page.day;
	const [from, to] = spanOf(page.view, day, begins);
	const [firstOpened] = spanOf(opened.view, opened.day || today, begins);

	const load = async () => {
		const ask = ++asked.current;
		const result = await api.window(from, to);
		if (context.signal.aborted || ask !== asked.current) return;
		setRefused(result.ok ? undefined : result.why);
		if (result.ok) setShown(result.value);
	};
	const latest = useRef({ load, shown });
	latest.current = { load, shown };
	useEffect(() => void load(), [from, to]);
	useEffect(() => {
		context.setTitle(context.module.name);
		const follow = ({ rev }: { readonly rev: number }) => {
			if (rev <= (latest.current.shown?.rev ?? 0)) return;
			clearTimeout(soon.current); // once for changes close together
			soon.current = setTimeout(() => void latest.current.load(), 200);
		};
		const stop = context.realtime<{ rev: number }, { rev: number }>("events", {
			snapshot: follow,
			update: follow,
		});
		const size = new ResizeObserver(([entry]) =>
			setNarrow((entry?.contentRect.width ?? gridWidth) < gridWidth),
		);
		if (frame.current) size.observe(frame.current);
		const days = setInterval(() => {
			if (latest.current.shown) showDay(todayOf(latest.current.shown));
		}, minute);
		return () => {
			stop();
			clearInterval(days);
			size.disconnect();
			clearTimeout(soon.current);
			clearTimeout(moving.current);
		};
	}, []);

	const stay = (view: View, to: string) => {
		const next: ViewPage = { is: "view", view, day: to };
		setPage(next);
		clearTimeout(moving.current);
		const requested = location.hash;
		moving.current = setTimeout(() => {
			if (location.hash !== requested) return; // the person has gone elsewhere
			// Back returns to another month, not to another day of this one.
			const replace = view === opened.view && spanOf(view, to || today, begins)[0] === firstOpened;
			moved.current = next;
			context.navigate(to === "" ? view : `${view}/${to}`, { replace, stay: true });
		}, rest);
	};
	const go = (view: View, to: string) => context.navigate(`${view}/${to}`);
	const heading =
		page.view === "month" ? forms.month(day) : `${forms.day(from)} – ${forms.dayAndYear(plusDays(to, -1))}`;
	const occurrences = (shown?.occurrences ?? []).filter(
		({ rooms, waiting }) => room === "" || rooms.includes(Number(room)) || waiting.includes(Number(room)),
	);
	const view = {
		tools,
		occurrences,
		rooms: shown?.rooms ?? [],
		day,
		today,
		begins,
		open: setChosen,
		go,
		stay,
	};
	return (
		<div ref={frame} class={page.view === "list" ? undefined : "d-wide-paper"} data-theme={theme}>
			<ScreenHeader
				sub={shown && <ZoneNote zone={shown.zone} />}
				actions={
					<Actions
						{...{ tools, day: page.day, shownDay: day, hasRooms: (shown?.rooms.length ?? 0) > 0 }}
						adds={manages || (plans && shown?.services === "here")}
					/>
				}
			/>
			<div class="toolbar">
				<div class="steps">
					<IconButton
						icon="chevronRight"
						class="back"
						label={say(`before_${page.view}`)}
						onPress={() => stay(page.view, stepFrom(page.view, day, -1))}
					/>
					<IconButton
						icon="chevronRight"
						label={say(`after_${page.view}`)}
						onPress={() => stay(page.view, stepFrom(page.view, day, 1))}
					/>
					<Button class="d-off-paper" onPress={() => stay(page.view, "")}>
						{say("today")}
					</Button>
					<h2 aria-live="polite">{heading}</h2>
				</div>
				<div class="choices d-off-paper">
					{(shown?.rooms.length ?? 0) > 0 && (
						<SelectField
							label={say("room")}
							hideLabel
							value={room}
							options={[
								{ value: "", label: say("allRooms") },
								...(shown?.rooms ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
							]}
							onInput={setRoom}
						/>
					)}
					<Segments
						name="view"
						label={say("view")}
						chosen={page.view}
						segments={(["month", "week", "list"] as const).map((id) => ({ id, label: say(id) }))}
						onChoose={(to) => stay(to, day)}
					/>
				</div>
			</div>
			{shown && <WaitingNote tools={tools} window={shown} />}
			{refused !== undefined && (
				<Note tone="bad" role="alert">
					<p>{say(refused === "denied" ? "readDenied" : refused)}</p>
					<Button onPress={load}>{say("tryAgain")}</Button>
				</Note>
			)}
			{shown === undefined ? (
				refused === undefined &&
				(page.view === "list" || narrow ? (
					<Skeleton rows={6} />
				) : (
					<Skeleton rows={page.view === "week" ? 7 : 35} shape="month" />
				))
			) : page.view === "list" || narrow ? (
				<List
					key={from}
					{...view}
					from={page.view !== "month" ? from : page.day === "" ? today : firstOfMonth(day)}
					to={page.day === "" ? to : lastOf(page.view, day, to)}
				/>
			) : page.view === "week" ? (
				<Week {...view} />
			) : (
				<Month {...view} />
			)}
			{shown?.more && <p class="d-muted">{say("more")}</p>}
			{shown && to > shown.horizon && (
				<p class="d-muted">{say("horizon", { date: forms.date(shown.horizon) })}</p>
			)}
			{chosen && shown && (
				<Details
					{...{ tools, one: chosen, rooms: shown.rooms }}
					close={() => setChosen(undefined)}
					changed={load}
				/>
			)}
		</div>
	);
}

/** The list of a month ends with the month, unless it begins today. */
const lastOf = (view: View, day: string, to: string): string =>
	view === "month" ? plusMonths(firstOfMonth(day), 1) : to;

interface ActionsProps {
	readonly tools: Tools;
	/** The day that the person chose; "" is today. */
	readonly day: string;
	readonly shownDay: string;
	readonly hasRooms: boolean;
	/** Whether the person may add something. */
	readonly adds: boolean;
}

function Actions({ tools: { context, say, manages }, day, shownDay, hasRooms, adds }: ActionsProps) {
	const doors = () => context.navigate(`doors/${shownDay}`);
	const toPhone = () => (location.hash = "#/account/calendars");
	return (
		<>
			{adds && (
				<Button kind="primary" icon="plus" onPress={() => context.navigate(day === "" ? "new" : `new/${day}`)}>
					{say(manages ? "newEvent" : "newService")}
				</Button>
			)}
			<Menu
				label={say("furtherActions")}
				items={[
					{ id: "print", label: say("print"), icon: "print", onPick: () => print() },
					{ id: "phone", label: say("onPhone"), icon: "calendar", onPick: toPhone },
					...(hasRooms ? [{ id: "doors", label: say("doors"), icon: "list", onPick: doors } as const] : []),
					...(manages ? managing(context, say) : []),
				]}
			/>
		</>
	);
}

const managing = (context: Tools["context"], say: Tools["say"]) =>
	[
		{ id: "rooms", label: say("rooms"), icon: "door", onPick: () => context.navigate("rooms") },
		{ id: "transfer", label: say("transfer"), icon: "upload", onPick: () => context.navigate("transfer") },
	] as const;
