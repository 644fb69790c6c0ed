import { useState } from "preact/hooks";
import { Button } from "./button";
import { Checkbox, SelectField } from "./field";
import { w } from "./importwords";
import { Status } from "./status";
import type { TablePreview } from "./transfer";

export interface ColumnChoiceProps {
	readonly table: TablePreview;
	/** What each column is called, in the order in which they are asked for. */
	readonly words: Readonly<Record<string, string>>;
	/** Called with the choice, as the parameter of the import has it. */
	choose(columns: string): unknown;
}

/** The first rows of a table, and the question which of its columns is which. */
export function ColumnChoice({ table, words, choose }: ColumnChoiceProps) {
	const { rows, needed } = table;
	const [at, setAt] = useState<Readonly<Record<string, number>>>(table.at);
	const [above, setAbove] = useState(table.above);
	const [tried, setTried] = useState(false);
	const width = Math.max(...rows.map((row) => row.length));
	const columns = Array.from({ length: width }, (_, n) => n);
	/** Those of the columns that have a word, in the order of the words. */
	const shown = (ids: readonly string[]) => Object.keys(words).filter((id) => ids.includes(id));
	const missing = needed.find((group) => !group.some((id) => id in at));
	const wordOf = (id: string) => words[id] ?? id;
	const head = rows[above - 1] ?? rows[0] ?? [];
	const options = [
		{ value: "", label: w("importNoColumn") },
		...columns.map((n) => ({ value: `${n}`, label: `${letter(n)}: ${head[n] ?? ""}` })),
	];
	const pick = (id: string, value: string) => {
		const { [id]: _, ...others } = at;
		setAt(value === "" ? others : { ...others, [id]: Number(value) });
	};
	const done = () => {
		setTried(true);
		if (missing) return;
		choose([`above:${above}`, ...Object.entries(at).map(([id, n]) => `${id}:${n}`)].join(","));
	};
	return (
		<div class="d-stack d-choose">
			<Status>{w("importWhich")}</Status>
			<div class="d-first-rows" tabIndex={0} role="group" aria-label={w("importFirstRows")}>
				<table>
					<tr>
						{columns.map((n) => (
							<th key={n} scope="col">
								{letter(n)}
							</th>
						))}
					</tr>
					{rows.map((row, line) => (
						<tr key={line} class={line < above ? "d-above" : undefined}>
							{columns.map((n) => (
								<td key={n}>
									<bdi>{row[n]}</bdi>
								</td>
							))}
						</tr>
					))}
				</table>
			</div>
			<Checkbox
				label={w("importAbove", { count: Math.max(table.above, 1) })}
				checked={above > 0}
				onChange={(on) => setAbove(on ? Math.max(table.above, 1) : 0)}
			/>
			<div class="d-columns">
				{shown(table.columns)
					.map((id) => (
						<SelectField
							key={id}
							label={wordOf(id)}
							value={id in at ? `${at[id]}` : ""}
							options={options}
							onInput={(value) => pick(id, value)}
							{...(tried &&
								missing?.[0] === id && {
									error: w("importNeeds", { columns: shown(missing).map(wordOf).join(w("importOr")) }),
								})}
						/>
					))}
			</div>
			<div>
				<Button kind="primary" onPress={done}>
					{w("importLook")}
				</Button>
			</div>
		</div>
	);
}

/** The letter of a column, as in spreadsheets: A to Z, AA ... */
const letter = (n: number): string =>
	n < 26 ? String.fromCharCode(65 + n) : letter(Math.floor(n / 26) - 1) + letter(n % 26);
