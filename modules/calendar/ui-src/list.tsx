import { Button, Chip, EmptyState } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { daysBetween, run } from "./days";
import { hueOf } from "./month";
import { hoursOn, namesOf } from "./tools";
import { byDay, type ViewProps } from "./view";

interface ListProps extends ViewProps {
	readonly from: string;
	readonly to: string;
}

/** How many events are rendered at first, and how many more in each frame and then with each press. */
const atOnce = 60;
const perPress = 300;

/** Day after day as text; also the month on a phone. */
export function List({ tools, occurrences, rooms, today, from, to, open }: ListProps) {
	const { forms, say, manages, context } = tools;
	const [most, setMost] = useState(atOnce);
	const [wanted, setWanted] = useState(perPress);
	const all = byDay(occurrences, run(from, daysBetween(from, to)));
	const days = [...all].filter(([, events]) => events.length > 0);
	const count = days.reduce((sum, [, events]) => sum + events.length, 0);
	useEffect(() => {
		if (most >= Math.min(count, wanted)) return;
		const frame = requestAnimationFrame(() => setMost(Math.min(most + atOnce, wanted)));
		return () => cancelAnimationFrame(frame);
	}, [most, wanted, count]);
	if (days.length === 0) {
		const write = (
			<Button kind="primary" icon="plus" onPress={() => context.navigate(`new/${from}`)}>
				{say("newEvent")}
			</Button>
		);
		return <EmptyState title={say("nothing")} action={manages && write} />;
	}
	let left = most;
	return (
		<>
			<ol class="agenda">
				{days.map(([day, events]) => {
					const part = events.slice(0, Math.max(0, left));
					left -= events.length;
					if (part.length === 0) return null;
					return (
						<li key={day}>
							<h3 class={day === today ? "today" : undefined}>{forms.longDay(day)}</h3>
							<ul>
								{part.map((one) => (
									<li key={one.event + one.date}>
										<button type="button" onClick={() => open(one)}>
											<time class={hueOf(one.rooms)}>{hoursOn(tools, one, day)}</time>
											<span class="what">
												<bdi class="name">{one.title}</bdi>
												<bdi class="second">{namesOf(rooms, one.rooms)}</bdi>
											</span>
											{one.waiting.length > 0 && (
												<Chip tone="warn" door="barred">
													{say("waits")}
												</Chip>
											)}
										</button>
									</li>
								))}
							</ul>
						</li>
					);
				})}
			</ol>
			{count > wanted && (
				<Button class="on" onPress={() => setWanted(wanted + perPress)}>
					{say("rest", { count: count - wanted })}
				</Button>
			)}
		</>
	);
}
