import { Button } from "@narthex/kit";
import type { Dropped } from "./event";
import type { Tools } from "./tools";

interface DroppedNoteProps {
	readonly tools: Tools;
	readonly dropped: readonly Dropped[];
	readonly busy: boolean;
	save(exceptions: "move" | "drop"): unknown;
}

/** How many dates are named; the others are counted. */
const named = 10;

/** The exceptional dates that a changed series would drop, and what to do with them. */
export function DroppedNote({ tools: { say, forms }, dropped, busy, save }: DroppedNoteProps) {
	const moves = dropped.filter((one) => one.moves).length;
	return (
		<>
			<ul class="taken">
				{dropped.slice(0, named).map(({ date, title, start, cancelled, moves: moved }) => (
					<li key={date}>
						{say(cancelled ? "droppedCancelled" : "droppedOther", {
							date: forms.day(date.slice(0, 10)),
							title,
							when: `${forms.day(start.slice(0, 10))}, ${forms.time(start)}`,
						})}
						{!moved && moves > 0 && ` ${say("droppedStays")}`}
					</li>
				))}
			</ul>
			{dropped.length > named && <p>{say("rest", { count: dropped.length - named })}</p>}
			<div class="d-row">
				{moves > 0 && (
					<Button disabled={busy} onPress={() => save("move")}>
						{say("moveExceptions", { count: moves })}
					</Button>
				)}
				<Button disabled={busy} onPress={() => save("drop")}>
					{say("dropExceptions", { count: dropped.length })}
				</Button>
			</div>
		</>
	);
}
