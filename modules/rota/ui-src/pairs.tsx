import { Combobox, IconButton } from "@narthex/kit";
import type { Board, Pair } from "./board";
import type { Tools } from "./tools";

interface PairsProps {
	readonly tools: Tools;
	readonly board: Board;
	/** Whose pairs they are; none for a new volunteer. */
	readonly of: string | undefined;
	readonly pairs: readonly Pair[];
	/** Those who must never be in the same service; otherwise those who like to serve together. */
	readonly apart: boolean;
	change(pairs: readonly Pair[]): void;
}

/** With whom a volunteer likes to serve, or must not. */
export function Pairs({ tools: { say }, board, of, pairs, apart, change }: PairsProps) {
	const names = new Map(board.volunteers.map(({ id, label }) => [id, label]));
	const taken = new Set(pairs.map(({ id }) => id));
	const free = board.volunteers.filter(({ id, label }) => label !== "" && id !== of && !taken.has(id));
	return (
		<fieldset>
			<legend>{say(apart ? "neverWith" : "gladlyWith")}</legend>
			<ul class="days">
				{pairs
					.filter((pair) => pair.apart === apart)
					.map((pair) => (
						<li key={pair.id}>
							<bdi>{names.get(pair.id)}</bdi>
							<IconButton
								icon="trash"
								label={say("removeOf", { name: names.get(pair.id) ?? "" })}
								onPress={() => change(pairs.filter((other) => other !== pair))}
							/>
						</li>
					))}
			</ul>
			<Combobox
				label={say(apart ? "addNever" : "addGladly")}
				hideLabel
				hint={say("addSomebody")}
				options={free.map(({ id, label }) => ({ id, label }))}
				chosen={undefined}
				onChoose={(id) => id !== undefined && change([...pairs, { id, apart }])}
			/>
		</fieldset>
	);
}
