import {
	Button, Dialog, type ImportProblem, ImportReport, Menu, type MenuItem, Note, PastImports, Status,
	useTransfer,
} from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useRef, useState } from "preact/hooks";
import type { Imported } from "./api";
import type { Tools } from "./tools";

interface ExchangeProps {
	readonly tools: Tools;
	/** What the same menu offers before that, because a header has one menu. */
	readonly also: readonly MenuItem[];
	/** Called when a file was imported, with the number of new slides. */
	imported(added: number): void;
}

/** Saves all slides as a file, and imports such a file after a preview of the changes. */
export function Exchange({ tools, also, imported }: ExchangeProps) {
	const { context, api, say } = tools;
	const [past, setPast] = useState(false);
	const input = useRef<HTMLInputElement>(null);

	const exportAll = async (pictures: boolean): Promise<void> => {
		const result = await api.exportAll(pictures);
		if (context.signal.aborted) return;
		if (result.ok) return saveFile(result.value, "announcements.json");
		const without = result.why === "exportTooLarge";
		context.announce(say(result.why), "assertive", {
			label: say(without ? "exportWithout" : "tryAgain"),
			run: () => exportAll(pictures && !without),
		});
	};
	const file = useRef<File | undefined>(undefined);
	const { chosen, refused, busy, look, take, forget } = useTransfer(
		context,
		(given: Blob, preview: boolean) => api.importAll(given, preview),
		({ notices }) => {
			context.announce(say("imported"));
			forget();
			imported(notices.new);
		},
	);
	const choose = async (given: File | undefined) => {
		if (given === undefined) return;
		file.current = given;
		await look(given);
		if (input.current) input.current.value = ""; // the same file can be chosen again
	};
	return (
		<>
			<input
				ref={input}
				type="file"
				accept="application/json,.json"
				class="d-unseen"
				tabIndex={-1}
				aria-label={say("importFile")}
				onChange={(event) => void choose(event.currentTarget.files?.[0])}
			/>
			<Menu
				label={say("more")}
				items={[
					...also,
					{ id: "export", label: say("export"), onPick: () => exportAll(true) },
					{ id: "import", label: say("import"), icon: "upload", onPick: () => input.current?.click() },
					{ id: "past", label: say("pastImports"), onPick: () => setPast(true) },
				]}
			/>
			{(busy || chosen !== undefined || refused !== undefined) && (
				<Dialog
					title={say("importTitle")}
					size="medium"
					footer={chosen === undefined && <Button onPress={forget}>{say("cancel")}</Button>}
					onClose={forget}
				>
					{busy && <Status>{say("looking")}</Status>}
					{refused !== undefined && (
						<Note tone="bad" role="alert">
							<p>{say(refused.why === "tooLarge" ? "importTooLarge" : refused.why)}</p>
							<Button onPress={() => choose(file.current)}>{say("tryAgain")}</Button>
						</Note>
					)}
					{chosen !== undefined && (
						<ImportReport
							name={file.current?.name ?? ""}
							answer={chosen.answer}
							lists
							effects={effectsOf(tools, chosen.answer)}
							ready={chosen.answer.notices.new + chosen.answer.notices.changed > 0}
							problem={(one) => problemOf(tools, one)}
							{...{ take, forget }}
						/>
					)}
				</Dialog>
			)}
			{past && (
				<Dialog
					title={say("pastImports")}
					size="medium"
					footer={<Button onPress={() => setPast(false)}>{say("close")}</Button>}
					onClose={() => setPast(false)}
				>
					<PastImports
						{...{ context, api }}
						what={({ notices = 0 }) => say("countNotices", { count: notices })}
						refused={({ why }) => say(why)}
						none={say("noImports")}
					/>
				</Dialog>
			)}
		</>
	);
}

const effectsOf = ({ say }: Tools, { notices, pictures }: Imported): readonly string[] => [
	say("importNotices", { added: notices.new, changed: notices.changed, same: notices.same }),
	...(pictures.new > 0 ? [say("importPictures", { added: pictures.new })] : []),
	say("importKeeps"),
];

function problemOf({ say }: Tools, { code, line, detail = "" }: ImportProblem): string {
	const named = detail === "" ? line : `${line} (${detail})`;
	if (code === "NOTICE_INVALID") return say("importNotice", { named });
	if (code === "PICTURE_INVALID") return say("importPicture", { named });
	return code === "PICTURE_MISSING" ? say("importMissing", { named }) : say("importNone");
}
