import { Button, Dialog, Menu, Note, PastImports } from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useRef, useState } from "preact/hooks";
import type { Imported, ImportProblem } from "./api";
import type { Tools } from "./tools";

interface ExchangeProps {
	readonly tools: Tools;
	/** Called with the reasons why a file was refused; none clears them. */
	refused(problems: readonly ImportProblem[]): void;
	/** Called when a file was imported, with the number of new slides. */
	imported(added: number): void;
}

/** Saves all slides as a file, and imports such a file after a preview of the changes. */
export function Exchange({ tools: { context, api, say }, refused, imported }: ExchangeProps) {
	const [past, setPast] = useState(false);
	const input = useRef<HTMLInputElement>(null);
	const [busy, setBusy] = useState(false);

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
	const take = async (file: File): Promise<void> => {
		const preview = await api.importAll(file, true);
		if (context.signal.aborted) return;
		if (!preview.ok) return failed(preview.why, file);
		refused(preview.value.problems);
		if (preview.value.problems.length > 0 || !(await context.confirm(question(preview.value)))) return;
		const result = await api.importAll(file, false);
		if (context.signal.aborted) return;
		if (!result.ok) return failed(result.why, file);
		context.announce(say("imported"));
		imported(result.value.notices.new);
	};
	const failed = (why: Parameters<typeof say>[0], file: File) => {
		const again = { label: say("tryAgain"), run: () => begin(file) };
		context.announce(say(why === "tooLarge" ? "importTooLarge" : why), "assertive", again);
	};
	const begin = async (file: File | undefined) => {
		if (file === undefined || busy) return;
		setBusy(true);
		await take(file);
		if (!context.signal.aborted) setBusy(false);
		if (input.current) input.current.value = ""; // the same file can be chosen again
	};
	const question = ({ notices, pictures, missing }: Imported) => ({
		title: say("importQuestion"),
		body: [
			say("importNotices", { added: notices.new, changed: notices.changed, same: notices.same }),
			say("importPictures", { added: pictures.new }),
			...(missing > 0 ? [say("importLacks", { missing })] : []),
			say("importKeeps"),
		],
		yes: say("importYes"),
		no: say("cancel"),
	});
	return (
		<>
			<input
				ref={input}
				type="file"
				accept="application/json,.json"
				class="d-unseen"
				tabIndex={-1}
				aria-label={say("importFile")}
				onChange={(event) => void begin(event.currentTarget.files?.[0])}
			/>
			<Menu
				label={say("exchange")}
				items={[
					{ id: "export", label: say("export"), onPick: () => exportAll(true) },
					{ id: "import", label: say("import"), icon: "upload", onPick: () => input.current?.click() },
					{ id: "past", label: say("pastImports"), onPick: () => setPast(true) },
				]}
			/>
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

interface RefusedProps {
	readonly tools: Tools;
	readonly problems: readonly ImportProblem[];
	close(): void;
}

/** Why a file was refused. */
export function RefusedImport({ tools: { say }, problems, close }: RefusedProps) {
	const words = ({ line, code }: ImportProblem) => {
		if (code === "NOTICE_INVALID") return say("importNotice", { line });
		if (code === "PICTURE_INVALID") return say("importPicture", { line });
		return code === "PICTURE_MISSING" ? say("importMissing", { line }) : say("importNone");
	};
	return (
		<Note tone="bad" role="alert">
			<p>{say("importRefused")}</p>
			<ul>
				{problems.map((problem) => (
					<li key={`${problem.code}${problem.line}`}>{words(problem)}</li>
				))}
			</ul>
			<Button onPress={close}>{say("close")}</Button>
		</Note>
	);
}
