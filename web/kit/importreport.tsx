import { saveFile } from "../sdk/narthex-sdk"; // its name is unknown where the types are made
import { useState } from "preact/hooks";
import { Button } from "./button";
import { ColumnChoice } from "./columnchoice";
import { Note } from "./layout";
import type { ImportAnswer, ImportProblem } from "./transfer";
import { w } from "./importwords";
import { k, kitLocale } from "./words";

export interface ImportReportProps {
	/** The file's name. */
	readonly name: string;
	readonly answer: ImportAnswer;
	/** What the import changes, and examples of it, a line each. */
	readonly effects: readonly string[];
	/** There is something to import. */
	readonly ready: boolean;
	/** What a code means and what to do about it, without the line. */
	problem(one: ImportProblem): string;
	/** The file has lists instead of lines: line is a position in one of them, and problem tells it. */
	readonly lists?: boolean;
	/** Of a table: what its columns are called, in their order, and what is done with a choice of them. */
	readonly columns?: Readonly<Record<string, string>>;
	choose?(columns: string): unknown;
	take(): unknown;
	forget(): void;
}

/** The preview of an import: what it changes, the rows that it leaves out, and what it changes in others. */
export function ImportReport(props: ImportReportProps) {
	const { name, answer, effects, ready, problem, lists, columns, choose, take, forget } = props;
	const [choosing, setChoosing] = useState(false);
	const [taking, setTaking] = useState(false);
	const begin = async (): Promise<void> => {
		setTaking(true);
		await take();
		setTaking(false);
	};
	const { problems, problemCount, skipped = [], skippedCount = 0, notes = [], noteCount = 0 } = answer;
	const told = (one: ImportProblem) => {
		const words = problem(one).replace(/:\s*$/, "."); // nothing was found there
		return one.line > 0 && !lists ? w("importLine", { line: one.line, problem: words }) : words;
	};
	const { table } = answer;
	const askable = table && columns && choose;
	const unknown = problems[0]?.code.startsWith("COLUMNS_") ?? false;
	if (askable && (choosing || unknown)) {
		return (
			<div class="d-card d-stack d-choose">
				<p>
					<bdi>{name}</bdi>
				</p>
				<ColumnChoice
					key={JSON.stringify(table)}
					{...{ table, words: columns }}
					choose={(chosen) => {
						setChoosing(false);
						return choose(chosen);
					}}
				/>
				<div>
					<Button onPress={forget}>{k("cancel")}</Button>
				</div>
			</div>
		);
	}
	if (problemCount > 0) {
		return (
			<Note tone="bad" role="alert">
				<p>
					<bdi>{name}</bdi>: {w("importRefused")}
				</p>
				<Problems all={problems} count={problemCount} told={told} />
				<Button onPress={forget}>{k("cancel")}</Button>
			</Note>
		);
	}
	const save = () => saveFile(rowsLeftOut(answer, told), name.replace(/\.\w*$/, "") + w("importLeftName"));
	return (
		<div class="d-stack">
			<Note role="status">
				<p>
					<bdi>{name}</bdi>
				</p>
				{effects.map((effect) => (
					<p key={effect}>{effect}</p>
				))}
			</Note>
			{skippedCount > 0 && (
				<Note tone="warn" role="alert">
					<p>{w("importLeft", { count: skippedCount })}</p>
					<Problems all={skipped} count={skippedCount} told={told} />
					<Button onPress={save}>{w("importLeftSave")}</Button>
				</Note>
			)}
			{noteCount > 0 && (
				<Note>
					<p>{w("importNotes", { count: noteCount })}</p>
					<Problems all={notes} count={noteCount} told={told} />
				</Note>
			)}
			<div class="d-row">
				{ready && (
					<Button kind="primary" onPress={begin}>
						{w("importTake")}
					</Button>
				)}
				{askable && <Button onPress={() => setChoosing(true)}>{w("importOther")}</Button>}
				<Button onPress={forget}>{k("cancel")}</Button>
			</div>
			<div role="status">
				{taking && (
					<div>
						<p>{w("importUnderWay")}</p>
						<progress aria-label={w("importTake")} />
					</div>
				)}
			</div>
		</div>
	);
}

const shown = 20;

interface ProblemsProps {
	readonly all: readonly ImportProblem[];
	readonly count: number;
	told(one: ImportProblem): string;
}

function Problems({ all, count, told }: ProblemsProps) {
	return (
		<ul class="d-problems">
			{all.slice(0, shown).map((one, at) => (
				<li key={at}>{told(one)}</li>
			))}
			{count > shown && <li>{w("importMore", { count: count - shown })}</li>}
		</ul>
	);
}

/** A table of the rows that are left out, with the reasons, for spreadsheets of the person's language. */
function rowsLeftOut(answer: ImportAnswer, told: (one: ImportProblem) => string): Blob {
	const { columns = [], skipped = [] } = answer;
	const separator = kitLocale.value.startsWith("de") ? ";" : ",";
	const guarded = (text: string) => text.replace(/^(?='*[=+\-@\t\r])/, "'"); // against formulas
	const cell = (text: string) => `"${guarded(text).replaceAll('"', '""')}"`;
	const width = Math.max(columns.length, ...skipped.map(({ row = [] }) => row.length));
	const line = (cells: readonly string[], last: string) =>
		[...Array.from({ length: width }, (_, at) => cells[at] ?? ""), last].map(cell).join(separator);
	const rows = skipped.map((one) => line(one.row ?? [], told(one)));
	const lines = [line(columns, w("importReason")), ...rows];
	return new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], { type: "text/csv;charset=utf-8" });
}
