import { useEffect, useState } from "preact/hooks";
import { ImportReport } from "../../../kit/importreport";
import { Status } from "../../../kit/status";
import { type ImportChoices, type ImportProblem, useTransfer } from "../../../kit/transfer";
import type { Addressee } from "./addresses";
import { fileWords as w, problemWord } from "./filewords";
import { type Invited, invitedIn } from "./table/invited";
import { type Row, rowsOf, TableError, textOf } from "./table/rows";
import { isWorkbook, rowsOfWorkbook } from "./table/workbook";

/** The longest file that is read. */
const maxFile = 4 << 20;

export interface InviteFileProps {
	readonly file: File;
	/** Called with the people of the file, whom nobody has invited yet. */
	onPeople(people: readonly Addressee[]): void;
	/** The person does not want this file. */
	onClose(): void;
}

/** What a table of people brings into the list. The page reads it: nothing is sent before an invitation. */
export function InviteFile({ file, onPeople, onClose }: InviteFileProps) {
	const [context] = useState(() => new AbortController());
	const transfer = useTransfer<Invited, { readonly ok: false }>(
		context,
		async (given, _preview, choices) => ({ ok: true, value: await peopleOf(given, choices) }),
		({ people }) => onPeople(people),
	);
	useEffect(() => () => context.abort(), []);
	useEffect(() => void transfer.look(file), [file]);
	const { chosen } = transfer;
	if (chosen === undefined) return <Status>{w("reading")}</Status>;
	const { people } = chosen.answer;
	return (
		<ImportReport
			name={file.name}
			answer={chosen.answer}
			effects={[w("wouldList", { count: people.length }), ...people.slice(0, 3).map(exampleOf)]}
			ready={people.length > 0}
			problem={({ code, detail = "" }: ImportProblem) => w(problemWord(code), { detail })}
			columns={{ email: w("email"), name: w("name"), first: w("first"), last: w("last") }}
			choose={(columns) => transfer.choose({ columns })}
			take={transfer.take}
			forget={onClose}
		/>
	);
}

const exampleOf = ({ email, name }: Addressee): string => (name === undefined ? email : `${name}, ${email}`);

async function peopleOf(file: Blob, { columns }: ImportChoices): Promise<Invited> {
	try {
		if (file.size > maxFile) throw new TableError("FILE_TOO_LARGE");
		const { rows, guessed } = await rowsIn(new Uint8Array(await file.arrayBuffer()));
		const invited = invitedIn(rows, columns);
		const notes = guessed ? [{ line: 0, code: "ENCODING_GUESSED" }] : [];
		return { ...invited, notes, noteCount: notes.length };
	} catch (error) {
		const code = error instanceof TableError ? error.code : "WORKBOOK_UNREADABLE";
		return { people: [], problems: [{ line: 0, code }], problemCount: 1 };
	}
}

async function rowsIn(
	content: Uint8Array<ArrayBuffer>,
): Promise<{ readonly rows: readonly Row[]; readonly guessed: boolean }> {
	if (isWorkbook(content)) return { rows: await rowsOfWorkbook(content), guessed: false };
	const { text, guessed } = textOf(content);
	return { rows: rowsOf(text), guessed };
}
