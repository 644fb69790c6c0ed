import { useEffect, useRef } from "preact/hooks";
import { plusDays, plusMonths, firstOfWeek, weeksOf } from "./days";
import type { Occurrence } from "./event";
import { namesOf } from "./tools";
import { byDay, type ViewProps } from "./view";

/** How many events of a day are shown; a button shows the others. On paper there are more. */
const perDay = 3;
const onPaper = 20;

/** A month as a grid. Arrow keys move from day to day, Page Up and Down from month to month. */
export function Month({ tools, occurrences, rooms, day, today, begins, open, go, stay }: ViewProps) {
	const { forms, say, context } = tools;
	const weeks = weeksOf(day, begins);
	const days = byDay(occurrences, weeks.flat());
	const grid = useRef<HTMLTableElement>(null);
	const goal = useRef<string>(undefined);
	useEffect(() => {
		grid.current?.querySelector("[aria-current]")?.scrollIntoView?.({ block: "nearest" });
	}, []);
	useEffect(() => {
		// A key may be pressed before this effect runs for the first day, so the days are compared.
		if (goal.current !== day) return;
		grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
		goal.current = undefined;
	}, [day]);
	const keys = (event: KeyboardEvent) => {
		const at = (event.target as HTMLElement).dataset["day"];
		if (at === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
		const to = target(event.key, at, begins, context.dir === "rtl");
		if (to === undefined) return;
		event.preventDefault();
		goal.current = to;
		stay("month", to);
	};
	const used = rooms.filter(({ id }) => occurrences.some((one) => one.rooms[0] === id));
	return (
		<>
		<table class="month" ref={grid} onKeyDown={keys} aria-label={forms.month(day)}>
			<thead>
				<tr>
					{(weeks[0] ?? []).map((weekday) => (
						<th key={weekday} scope="col">
							<abbr title={forms.weekday(weekday)}>{forms.weekday(weekday, "short")}</abbr>
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{weeks.map((week) => (
					<tr key={week[0]}>
						{week.map((one) => {
							const all = days.get(one) ?? [];
							const rest = all.length - perDay;
							const shown = rest === 1 ? perDay + 1 : perDay;
							const names = ["number", one === today && "today"].filter(Boolean).join(" ");
							return (
								<td key={one} class={cellOf(one, day, today)}>
									<button
										type="button"
										class={names}
										data-day={one}
										tabIndex={one === day ? 0 : -1}
										aria-current={one === today ? "date" : undefined}
										aria-label={say("dayWith", { day: forms.longDay(one), count: all.length })}
										onClick={() => go("list", one)}
									>
										{Number(one.slice(8))}
									</button>
									{all.slice(0, onPaper).map((event, n) => (
										<Entry
											key={event.event + event.date}
											{...{ tools, one: event, day: one, open }}
											rooms={rooms}
											onPaper={n >= shown}
										/>
									))}
									{rest > 1 && (
										<button type="button" class="rest d-off-paper" onClick={() => go("list", one)}>
											{say("rest", { count: rest })}
											<span class="d-unseen"> {forms.longDay(one)}</span>
										</button>
									)}
									{all.length > onPaper && (
										<p class="rest d-on-paper">{say("rest", { count: all.length - onPaper })}</p>
									)}
								</td>
							);
						})}
					</tr>
				))}
			</tbody>
		</table>
		{used.length > 0 && (
			<ul class="legend d-off-paper" aria-label={say("rooms")}>
				{used.map(({ id, name }) => (
					<li key={id} class={hueOf([id])}>
						<bdi>{name}</bdi>
					</li>
				))}
			</ul>
		)}
		</>
	);
}

/** The class of a day's cell. */
function cellOf(day: string, shown: string, today: string): string | undefined {
	const other = day.slice(0, 7) !== shown.slice(0, 7);
	const names = [other && "other", day < today && "past", day === today && "now"];
	return names.filter(Boolean).join(" ") || undefined;
}

/** The colour of the first room of an event, by which a month is read. The style sheet has as many. */
const hues = 8;
export const hueOf = ([room]: readonly number[]): string => (room === undefined ? "" : `hue-${room % hues}`);

interface EntryProps extends Pick<ViewProps, "tools" | "rooms" | "open"> {
	readonly one: Occurrence;
	readonly day: string;
	/** It is not shown on the screen. */
	readonly onPaper?: boolean;
}

/** One event of a day: its start and its title. */
export function Entry({ tools: { forms, say }, rooms, one, day, open, onPaper }: EntryProps) {
	const begins = !one.allDay && one.start.startsWith(day);
	const where = namesOf(rooms, one.rooms);
	const names = [
		"entry",
		hueOf(one.rooms),
		...[(one.allDay || !begins) && "whole", one.waiting.length > 0 && "waits", onPaper && "d-on-paper"],
	];
	return (
		<button type="button" class={names.filter(Boolean).join(" ")} onClick={() => open(one)}>
			<span>
				{begins && <time>{forms.shortTime(one.start)}</time>} <bdi>{one.title}</bdi>
			</span>
			{where !== "" && <span class="d-unseen">, {where}</span>}
			{one.waiting.length > 0 && <span class="d-unseen">, {say("waits")}</span>}
		</button>
	);
}

/** The day to which a key moves. */
function target(key: string, day: string, begins: number, rightToLeft: boolean): string | undefined {
	const forward = rightToLeft ? -1 : 1;
	switch (key) {
		case "ArrowRight":
			return plusDays(day, forward);
		case "ArrowLeft":
			return plusDays(day, -forward);
		case "ArrowDown":
			return plusDays(day, 7);
		case "ArrowUp":
			return plusDays(day, -7);
		case "Home":
			return firstOfWeek(day, begins);
		case "End":
			return plusDays(firstOfWeek(day, begins), 6);
		case "PageDown":
			return plusMonths(day, 1);
		case "PageUp":
			return plusMonths(day, -1);
	}
	return undefined;
}
