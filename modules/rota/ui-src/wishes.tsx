import { SelectField } from "@narthex/kit";
import type { Result } from "./api";
import { Away } from "./away";
import type { Days } from "./board";
import type { Tools } from "./tools";

interface WishesProps {
	readonly tools: Tools;
	/** The volunteer; none for the person who is signed in. */
	readonly of?: string;
	readonly wishes: readonly Days[];
	readonly perMonth: number;
	readonly rev: number;
	write(wishes: readonly Days[], perMonth: number, rev: number): Promise<Result<unknown>>;
	changed(): unknown;
}

/** When somebody would like to serve, and how often in a month at most. */
export function Wishes({ tools, of, wishes, perMonth, rev, write, changed }: WishesProps) {
	const { say, tell } = tools;
	const limit = async (most: number): Promise<void> => {
		tell(await write(wishes, most, rev), say("saved"), undefined, () => limit(most));
		await changed();
	};
	return (
		<Away
			{...{ tools, rev, changed }}
			{...(of === undefined ? {} : { of })}
			kind="wish"
			title={say(of === undefined ? "wishTitle" : "wishDays")}
			away={wishes}
			write={(next, against) => write(next, perMonth, against)}
		>
			<PerMonth tools={tools} perMonth={perMonth} choose={limit} />
		</Away>
	);
}

interface PerMonthProps {
	readonly tools: Tools;
	readonly perMonth: number;
	choose(most: number): unknown;
}

/** Chooses how often somebody serves in a month at most. */
export function PerMonth({ tools: { say }, perMonth, choose }: PerMonthProps) {
	const most = [...new Set([1, 2, 3, 4, 5, 6, 7, 8, perMonth])].filter((n) => n > 0).sort((a, b) => a - b);
	return (
		<SelectField
			label={say("perMonth")}
			value={`${perMonth}`}
			options={[
				{ value: "0", label: say("noLimit") },
				...most.map((n) => ({ value: `${n}`, label: say("times", { count: n }) })),
			]}
			onInput={(value) => choose(+value)}
		/>
	);
}
