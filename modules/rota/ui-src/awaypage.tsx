import { Button, EmptyState, ScreenHeader } from "@narthex/kit";
import { useEffect } from "preact/hooks";
import { Away } from "./away";
import type { Board } from "./board";
import type { Tools } from "./tools";
import { Wishes } from "./wishes";

interface AwayPageProps {
	readonly tools: Tools;
	readonly board: Board;
	/** The volunteer's id. */
	readonly id: string;
}

/** Where a coordinator enters when a volunteer is away. */
export function AwayPage({ tools, board, id }: AwayPageProps) {
	const { context, api, say } = tools;
	const volunteer = board.volunteers.find((one) => one.id === id);
	const name = volunteer?.label ?? "";
	useEffect(() => context.setTitle(say("awayOf", { name })), [name]);
	const back = <Button onPress={() => context.navigate("volunteers")}>{say("toVolunteers")}</Button>;
	if (volunteer === undefined) return <EmptyState title={say("gone")} action={back} />;
	return (
		<>
			<ScreenHeader actions={back} />
			<Away
				{...{ tools, away: volunteer.away, rev: volunteer.rev }}
				title={say("daysAway")}
				of={id}
				write={(away, rev) => api.setAwayOf(id, away, rev)}
				changed={() => undefined}
			/>
			<Wishes
				{...{ tools, wishes: volunteer.wishes, perMonth: volunteer.perMonth, rev: volunteer.rev }}
				of={id}
				write={(wishes, perMonth, rev) => api.setWishesOf(id, wishes, perMonth, rev)}
				changed={() => undefined}
			/>
		</>
	);
}
