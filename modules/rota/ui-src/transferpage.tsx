import { Button, Note, ScreenHeader } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Arrived, Imported, Problem, Result } from "./api";
import { refusalIn, type Tools } from "./tools";
import type { WordId } from "./words";

/** Export and import of volunteers and of all data, as files. */
export function TransferPage({ tools }: { readonly tools: Tools }) {
	const { context, say } = tools;
	useEffect(() => context.setTitle(say("transfer")), []);
	return (
		<>
			<ScreenHeader />
			<div class="transfer">
				<Exchange<Imported>
					tools={tools}
					title={say("listTitle")}
					help={say("listHelp")}
					out={{ path: "/volunteers/export", name: "volunteers.csv", type: "text/csv" }}
					into={{ path: "/volunteers/import", accept: ".csv,text/csv", type: "text/csv", most: 512 * 1024 }}
					effects={({ added, changed, unchanged, newRoles }) => [
						say("listEffect", { added, changed, unchanged }),
						...(newRoles.length > 0 ? [say("listRoles", { roles: newRoles.join(", ") })] : []),
					]}
				/>
				<Exchange<Arrived>
					tools={tools}
					title={say("archiveTitle")}
					help={say("archiveHelp")}
					out={{ path: "/export", name: "rota.json", type: "application/json" }}
					into={{
						...{ path: "/import", accept: ".json,application/json", type: "application/json" },
						most: 1024 * 1024,
					}}
					effects={({ roles, volunteers, assignments }) => [
						say("archiveEffect", { roles, volunteers, assignments }),
					]}
				/>
			</div>
		</>
	);
}

interface ExchangeProps<Report> {
	readonly tools: Tools;
	readonly title: string;
	readonly help: string;
	readonly out: { readonly path: string; readonly name: string; readonly type: string };
	readonly into: {
		readonly path: string;
		readonly accept: string;
		readonly type: string;
		readonly most: number;
	};
	/** The changes that an import would make, as texts. */
	effects(report: Report): readonly string[];
}

interface Looked<Report> {
	readonly name: string;
	readonly text: string;
	readonly report: Report;
}

/** One kind of file. Its changes are previewed before the import. */
function Exchange<Report extends { readonly problems: readonly Problem[] }>(props: ExchangeProps<Report>) {
	const { tools, title, help, out, into, effects } = props;
	const { context, api, say, tell } = tools;
	const [looked, setLooked] = useState<Looked<Report>>();
	const [refused, setRefused] = useState("");

	const refuse = (result: Extract<Result<unknown>, { ok: false }>) => {
		setLooked(undefined);
		setRefused(result.why === "failed" ? say("notReadable") : refusalIn(say, result));
	};
	const look = async (file: File | undefined) => {
		if (file === undefined) return;
		setRefused("");
		setLooked(undefined);
		if (file.size > into.most) return setRefused(say("fileTooLarge", { size: into.most / 1024 }));
		const text = await file.text();
		const result = await api.import<Report>(into.path, into.type, text, true);
		if (context.signal.aborted) return;
		if (result.ok) setLooked({ name: file.name, text, report: result.value });
		else refuse(result);
	};
	const take = async () => {
		if (looked === undefined) return;
		const result = await api.import<Report>(into.path, into.type, looked.text, false);
		if (context.signal.aborted) return;
		if (!result.ok) return refuse(result);
		setLooked(undefined);
		context.announce(say("imported"));
	};
	const save = async (): Promise<void> => {
		const result = await api.export(out.path);
		if (!result.ok) return void tell(result, "", undefined, save);
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([result.value], { type: out.type }));
		link.download = out.name;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href));
	};
	return (
		<section class="d-card d-stack">
			<h2>{title}</h2>
			<p>{help}</p>
			<Button onPress={save}>{say("exportFile", { name: out.name })}</Button>
			<label class="file">
				{say("chooseFile")}
				<input
					type="file"
					accept={into.accept}
					onChange={({ currentTarget }) => {
						void look(currentTarget.files?.[0]);
						currentTarget.value = ""; // so that the same file can be chosen again
					}}
				/>
			</label>
			{refused !== "" && (
				<Note tone="bad" role="alert">
					<p>{refused}</p>
				</Note>
			)}
			{looked && looked.report.problems.length > 0 && (
				<Note tone="bad" role="alert">
					<p>{say("fileProblems", { name: looked.name })}</p>
					<ul>
						{looked.report.problems.map(({ line, code }) => (
							<li key={`${line}${code}`}>{say("lineProblem", { line, problem: say(problemWord(code)) })}</li>
						))}
					</ul>
				</Note>
			)}
			{looked && looked.report.problems.length === 0 && (
				<Note role="status">
					{effects(looked.report).map((effect) => (
						<p key={effect}>{effect}</p>
					))}
					<div class="d-row">
						<Button kind="primary" onPress={take}>
							{say("import")}
						</Button>
						<Button onPress={() => setLooked(undefined)}>{say("cancel")}</Button>
					</div>
				</Note>
			)}
		</section>
	);
}

const problemWords: Readonly<Record<string, WordId>> = {
	NOT_UTF8: "fileNotUtf8",
	COLUMNS_UNKNOWN: "fileColumns",
	EMPTY: "fileEmpty",
	TWICE: "fileTwice",
	NAME_INVALID: "fileName",
	EMAIL_INVALID: "addressWrong",
	LANGUAGE_INVALID: "fileLanguage",
	ROLE_INVALID: "fileRole",
};

const problemWord = (code: string): WordId => problemWords[code] ?? "fileOther";
