import { useRef, useState } from "preact/hooks";

/** The answer of an import, or of its preview; see Exchange of the Go SDK. */
export interface ImportAnswer {
	readonly problems: readonly ImportProblem[];
	/** More than there are in problems, if there are many. */
	readonly problemCount: number;
	/** Rows that are left out. */
	readonly skipped?: readonly ImportProblem[];
	readonly skippedCount?: number;
	/** What is imported otherwise than it stands in the file. */
	readonly notes?: readonly ImportProblem[];
	readonly noteCount?: number;
	/** The headings of the rows in skipped. */
	readonly columns?: readonly string[];
	/** Of the preview of a table: its beginning. */
	readonly table?: TablePreview;
}

/** The beginning of a table, with where its columns are as far as that is known; see the Go SDK. */
export interface TablePreview {
	readonly rows: readonly (readonly string[])[];
	/** How many of these rows stand above the data. */
	readonly above: number;
	readonly columns: readonly string[];
	/** One of each group has to be there. */
	readonly needed: readonly (readonly string[])[];
	readonly at: Readonly<Record<string, number>>;
}

/** What a person has said about a file, as parameters of its import. */
export interface ImportChoices {
	readonly columns?: string;
	/** Whether 3/4/2027 is in April or in March. */
	readonly dates?: "dmy" | "mdy";
}

/** The query of an import: "?preview=1&dates=dmy", with further parameters before these. */
export function importQuery(preview: boolean, choices: ImportChoices, more: object = {}): string {
	const all = new URLSearchParams({ ...more, ...(preview && { preview: "1" }), ...choices }).toString();
	return all === "" ? "" : `?${all}`;
}

/** A mistake in a file. line is where, from 1; 0 means the whole file. */
export interface ImportProblem {
	readonly line: number;
	readonly code: string;
	readonly field?: string;
	/** What was found there. */
	readonly detail?: string;
	/** The cells of a row that is left out. */
	readonly row?: readonly string[];
}

type Sent<Answer, Refused> = { readonly ok: true; readonly value: Answer } | Refused;

/** The import of a file, of which the changes are shown first. */
export interface Transfer<Answer, Refused> {
	/** The previewed file, with its problems or the changes that its import would make. */
	readonly chosen: { readonly file: Blob; readonly answer: Answer } | undefined;
	/** Why the preview or the import failed. */
	readonly refused: Refused | undefined;
	/** A file is being previewed. */
	readonly busy: boolean;
	/** Previews a file. */
	look(file: Blob | undefined): Promise<void>;
	/** Previews the same file again, with what the person has said about it now or before. */
	choose(more: ImportChoices): Promise<void>;
	/** Imports the previewed file. If that fails, it is still there for another attempt. */
	take(): Promise<void>;
	/** Forgets the previewed file. */
	forget(): void;
}

/**
 * Keeps the state of an import. send sends the file, for a preview or for the import, and imported is called
 * after the import.
 */
export function useTransfer<Answer extends ImportAnswer, Refused extends { readonly ok: false }>(
	{ signal }: { readonly signal: AbortSignal },
	send: (file: Blob, preview: boolean, choices: ImportChoices) => Promise<Sent<Answer, Refused>>,
	imported: (answer: Answer) => unknown,
): Transfer<Answer, Refused> {
	const [chosen, setChosen] = useState<Transfer<Answer, Refused>["chosen"]>();
	const [refused, setRefused] = useState<Refused>();
	const [busy, setBusy] = useState(false);
	const asked = useRef(0);
	const choices = useRef<ImportChoices>({});
	const ask = async (file: Blob, preview: boolean): Promise<Answer | undefined> => {
		const own = ++asked.current;
		const result = await send(file, preview, choices.current);
		if (signal.aborted || own !== asked.current) return undefined;
		setBusy(false);
		setRefused(result.ok ? undefined : result);
		if (result.ok || preview) setChosen(result.ok && preview ? { file, answer: result.value } : undefined);
		return result.ok ? result.value : undefined;
	};
	const preview = async (file: Blob): Promise<void> => {
		setBusy(true);
		setRefused(undefined);
		await ask(file, true);
	};
	return {
		...{ chosen, refused, busy },
		async look(file) {
			if (file === undefined) return;
			choices.current = {};
			await preview(file);
		},
		async choose(more) {
			choices.current = { ...choices.current, ...more };
			if (chosen) await preview(chosen.file);
		},
		async take() {
			const answer = chosen && (await ask(chosen.file, false));
			if (answer) imported(answer);
		},
		forget() {
			asked.current++;
			setBusy(false);
			setRefused(undefined);
			setChosen(undefined);
		},
	};
}
