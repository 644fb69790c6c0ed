import { Chip, ListRow } from "@narthex/kit";
import { type Board, missing, type Round } from "../server-src/board";
import type { Say } from "./words";

interface RoundsProps {
	readonly say: Say;
	readonly board: Board;
	readonly rounds: readonly Round[];
	readonly now: number;
}

export const isLate = ({ due, finishedAt }: Round, now: number): boolean =>
	finishedAt === null && Date.parse(due) < now;

/** Rounds as a list, on the page and on the card of Home. */
export function Rounds({ say, board, rounds, now }: RoundsProps) {
	return (
		<ul class="d-list">
			{rounds.map((round) => {
				const { id, title, due, name, person, finishedAt } = round;
				const list = board.lists.find((one) => one.id === round.listId);
				if (list === undefined) return null;
				const time = say(finishedAt === null ? "until" : "finishedAt", { time: say.when(finishedAt ?? due) });
				const who = name ?? (person === null ? "" : say("someone"));
				const late = isLate(round, now);
				const count = list.items.length;
				const done = finishedAt === null ? count - missing(list, round).length : count;
				return (
					<ListRow
						key={id}
						title={<a href={`#/m/checklists/round/${id}`}><bdi>{list.title}</bdi></a>}
						second={[title, time, who].filter(Boolean).join(" · ")}
					>
						<Chip tone={finishedAt !== null ? "ok" : late ? "warn" : "plain"}>
							{[late ? say("late") : "", say("progress", { done, count })].filter(Boolean).join(" · ")}
						</Chip>
					</ListRow>
				);
			})}
		</ul>
	);
}
