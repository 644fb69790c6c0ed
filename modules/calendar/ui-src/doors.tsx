import { Button, EmptyState, IconButton, Note, ScreenHeader, Skeleton } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { clockOf, dayOf, firstOfWeek, plusDays, run } from "./days";
import type { Window } from "./event";
import { hoursOn, type Tools } from "./tools";
import { byDay } from "./view";

interface DoorsProps {
	readonly tools: Tools;
	/** A day of the week; "" is today. */
	readonly day: string;
}

/** What is on in each room in a week, with a sheet of paper for each door. */
export function Doors({ tools, day }: DoorsProps) {
	const { context, api, say, forms } = tools;
	const [shown, setShown] = useState<Window>();
	const [refused, setRefused] = useState<Refusal>();
	const begins = shown?.weekStartsOn === "sunday" ? 6 : 0;
	const around = day || (shown?.today ?? dayOf(clockOf("UTC", context.serverNow())));
	const first = firstOfWeek(around, begins);
	const load = async () => {
		// Whether weeks begin on Sunday is known only afterwards.
		const result = await api.window(plusDays(around, -7), plusDays(around, 8));
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (result.ok) setShown(result.value);
	};
	useEffect(() => {
		context.setTitle(say("doors"));
		void load();
	}, []);
	const rooms = (shown?.rooms ?? []).map((room) => {
		const there = (shown?.occurrences ?? []).filter((one) => one.rooms.includes(room.id));
		return { ...room, days: [...byDay(there, run(first, 7))].filter(([, events]) => events.length > 0) };
	});
	const free = rooms.filter(({ days }) => days.length === 0).map(({ name }) => name);
	const week = `${forms.day(first)} – ${forms.dayAndYear(plusDays(first, 6))}`;
	const go = (by: number) => context.navigate(`doors/${plusDays(around, by)}`, { replace: true });
	return (
		<>
			<ScreenHeader
				sub={<span class="d-off-paper">{say("doorsHelp")}</span>}
				actions={
					<>
						<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>
						<Button kind="primary" icon="print" onPress={() => print()}>
							{say("print")}
						</Button>
					</>
				}
			/>
			<div class="toolbar d-off-paper">
				<div class="steps">
					<IconButton icon="chevronRight" class="back" label={say("before_week")} onPress={() => go(-7)} />
					<IconButton icon="chevronRight" label={say("after_week")} onPress={() => go(7)} />
					<h2>{week}</h2>
				</div>
			</div>
			{refused !== undefined && (
				<Note tone="bad" role="alert">
					<p>{say(refused === "denied" ? "readDenied" : refused)}</p>
					<Button onPress={load}>{say("tryAgain")}</Button>
				</Note>
			)}
			{shown === undefined && refused === undefined && <Skeleton rows={6} />}
			{shown && free.length === rooms.length && <EmptyState title={say("nothing")} />}
			{rooms
				.filter(({ days }) => days.length > 0)
				.map(({ id, name, days }) => (
					<section key={id} class="door d-sheet">
						<h2>
							<bdi>{name}</bdi>
						</h2>
						<p class="d-on-paper">{week}</p>
						{days.map(([one, events]) => (
							<section key={one}>
								<h3>{forms.longDay(one)}</h3>
								<ul>
									{events.map((event) => (
										<li key={event.event + event.date}>
											<time>{hoursOn(tools, event, one)}</time>
											<bdi>{event.title}</bdi>
										</li>
									))}
								</ul>
							</section>
						))}
					</section>
				))}
			{shown && free.length > 0 && free.length < rooms.length && (
				<p class="d-muted d-off-paper">{say("doorsFree", { rooms: free.join(", ") })}</p>
			)}
		</>
	);
}
