import {
	Button, FileButton, type ImportAnswer, type ImportChoices, type ImportProblem, ImportReport, Note,
	PastImports, ScreenHeader, useTransfer,
} from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import type { Arrived, Imported } from "./api";
import { refusalIn, type Tools } from "./tools";
import type { WordId } from "./words";

/** Export and import of volunteers and of all data, as files. */
export function TransferPage({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	const [done, setDone] = useState(0);
	const imported = () => setDone(done + 1);
	useEffect(() => context.setTitle(say("transfer")), []);
	return (
		<>
			<ScreenHeader />
			<div class="transfer">
				<Exchange<Imported>
					{...{ tools, imported }}
					title={say("listTitle")}
					help={say("listHelp")}
					out={{ path: "/volunteers/export", name: "volunteers.csv" }}
					into={{
						...{ path: "/volunteers/import", accept: ".csv,.tsv,.txt,.xlsx,text/csv", type: "text/csv" },
						most: 512 * 1024,
					}}
					effects={({ added, changed, unchanged, newRoles, examples }) => [
						say("listEffect", { added, changed, unchanged }),
						...(examples.length > 0 ? [say("listExamples", { names: examples.join(", ") })] : []),
						...(newRoles.length > 0 ? [say("listRoles", { roles: newRoles.join(", ") })] : []),
					]}
					ready={({ added, changed }) => added + changed > 0}
					problem={({ code, detail = "" }) => say(problemWord(code), { detail })}
				/>
				<Exchange<Arrived>
					{...{ tools, imported }}
					title={say("archiveTitle")}
					help={say("archiveHelp")}
					out={{ path: "/export", name: "rota.json" }}
					into={{
						...{ path: "/import", accept: ".json,application/json", type: "application/json" },
						most: 8 * 1024 * 1024,
					}}
					effects={({ roles, volunteers, assignments }) => [
						say("archiveEffect", { roles, volunteers, assignments }),
					]}
					ready={({ roles, needs, volunteers, assignments }) =>
						roles + needs + volunteers + assignments > 0
					}
					problem={(one) => archiveProblem(tools, one)}
					lists
				/>
			</div>
			<PastImports
				key={done}
				{...{ context, api }}
				what={({ roles = 0, volunteers = 0, assignments = 0 }) =>
					say("archiveEffect", { roles, volunteers, assignments })
				}
				refused={(result) => refusalIn(say, result)}
			/>
		</>
	);
}

interface ExchangeProps<Report> {
	readonly tools: Tools;
	readonly title: string;
	readonly help: string;
	readonly out: { readonly path: string; readonly name: string };
	readonly into: {
		readonly path: string;
		readonly accept: string;
		readonly type: string;
		readonly most: number;
	};
	/** The changes that an import would make, as texts. */
	effects(report: Report): readonly string[];
	/** An import would change something. */
	ready(report: Report): boolean;
	/** What a problem of the file means. */
	problem(one: ImportProblem): string;
	readonly lists?: boolean;
	/** Called after an import. */
	imported(): void;
}

/** One kind of file. Its changes are previewed before the import. */
function Exchange<Report extends ImportAnswer>(props: ExchangeProps<Report>) {
	const { tools, title, help, out, into, effects, ready, problem, lists = false, imported } = props;
	const { context, api, say, tell } = tools;
	const send = (file: Blob, preview: boolean, choices: ImportChoices) =>
		api.import<Report>(into.path, file, preview, choices);
	const transfer = useTransfer(context, send, () => {
		context.announce(say("imported"));
		transfer.forget();
		imported();
	});
	const [tooLarge, setTooLarge] = useState(false);
	const { chosen, refused } = transfer;

	const look = (file: File | undefined) => {
		if (file === undefined) return;
		setTooLarge(file.size > into.most);
		if (file.size > into.most) transfer.forget();
		else void transfer.look(new File([file], file.name, { type: into.type })); // systems name types differently
	};
	const save = async (): Promise<void> => {
		const result = await api.export(out.path);
		if (!result.ok) return void tell(result, "", undefined, save);
		saveFile(result.value, out.name);
	};
	return (
		<section class="d-card d-stack">
			<h2>{title}</h2>
			<p>{help}</p>
			<Button onPress={save}>{say("exportFile", { name: out.name })}</Button>
			<FileButton
				accept={into.accept}
				busy={transfer.busy}
				busyWords={say("reading")}
				onFiles={([file]) => look(file)}
			>
				{say("chooseFile")}
			</FileButton>
			{(tooLarge || refused) && (
				<Note tone="bad" role="alert">
					<p>
						{refused === undefined
							? say("fileTooLarge", { size: into.most / 1024 })
							: refused.why === "failed"
								? say("notReadable")
								: refusalIn(say, refused)}
					</p>
				</Note>
			)}
			{chosen && (
				<ImportReport
					name={(chosen.file as File).name}
					answer={chosen.answer}
					lists={lists}
					effects={effects(chosen.answer)}
					ready={ready(chosen.answer)}
					problem={problem}
					columns={columnsOf(tools)}
					choose={(columns) => transfer.choose({ columns })}
					take={transfer.take}
					forget={transfer.forget}
				/>
			)}
		</section>
	);
}

const columnIds = ["name", "first", "last", "email", "roles", "language"] as const;

/** What the columns of a list of volunteers are called. */
const columnsOf = ({ say }: Tools) => Object.fromEntries(columnIds.map((id) => [id, say(`column_${id}`)]));

const problemWords: Readonly<Record<string, WordId>> = {
	ENCODING_GUESSED: "fileEncoding",
	COLUMNS_UNKNOWN: "fileColumns",
	EMPTY: "fileEmpty",
	WORKBOOK_UNREADABLE: "fileWorkbook",
	TOO_MANY: "fileTooMany",
	TOO_MANY_ROLES: "fileRoles",
	TWICE: "fileTwice",
	NAME_INVALID: "fileName",
	EMAIL_INVALID: "fileAddress",
	LANGUAGE_INVALID: "fileLanguage",
	ROLE_INVALID: "fileRole",
};

const problemWord = (code: string): WordId => problemWords[code] ?? "fileOther";

/** The line of a problem is a position in a list. */
function archiveProblem({ say }: Tools, { code, line, detail = "" }: ImportProblem): string {
	return say(archiveWords[code] ?? "archiveNone", { named: detail === "" ? line : `${line} (${detail})` });
}

const archiveWords: Readonly<Record<string, WordId>> = {
	ROLE_INVALID: "archiveRole",
	NEED_INVALID: "archiveNeed",
	VOLUNTEER_INVALID: "archivePerson",
	VOLUNTEER_ERASED: "archiveErased",
	ASSIGNMENT_INVALID: "archiveDuty",
	TOO_MANY: "archivePeopleFull",
	TOO_MANY_ROLES: "archiveRolesFull",
	ROLE_MISSING: "archiveRoleMissing",
	PAIR_MISSING: "archivePairMissing",
	DIGEST_FULL: "archiveDigestFull",
};
