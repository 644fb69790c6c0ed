import { firstOfWeek, run } from "./days";
import { Entry, hueOf } from "./month";
import { hoursOn, namesOf } from "./tools";
import { byDay, type ViewProps } from "./view";

/** How many events of a day are shown; a button shows the others. */
const perDay = 20;

/** A week with a column for each day and its events from morning to evening. */
export function Week({ tools, occurrences, rooms, day, today, begins, open, go }: ViewProps) {
	const { forms, say } = tools;
	const days = run(firstOfWeek(day, begins), 7);
	const all = byDay(occurrences, days);
	return (
		<ol class="week">
			{days.map((one) => (
				<li key={one} class={one === today ? "today" : undefined}>
					<h3 aria-current={one === today ? "date" : undefined}>
						<button type="button" class="d-text" onClick={() => go("list", one)}>
							<span>{forms.weekday(one, "short")}</span>{" "}
							{forms.write(one, { day: "numeric", month: "short" })}
						</button>
					</h3>
					{(all.get(one) ?? []).slice(0, perDay).map((event) => (
						<div class={`card-of-week ${hueOf(event.rooms)}`} key={event.event + event.date}>
							<Entry tools={tools} rooms={rooms} one={{ ...event, allDay: true }} day={one} open={open} />
							<p>{hoursOn(tools, event, one)}</p>
							{event.rooms.length > 0 && (
								<p>
									<bdi>{namesOf(rooms, event.rooms)}</bdi>
								</p>
							)}
						</div>
					))}
					{(all.get(one)?.length ?? 0) > perDay && (
						<button type="button" class="rest" onClick={() => go("list", one)}>
							{say("rest", { count: (all.get(one)?.length ?? 0) - perDay })}
							<span class="d-unseen"> {forms.longDay(one)}</span>
						</button>
					)}
				</li>
			))}
		</ol>
	);
}
