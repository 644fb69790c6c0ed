import { Button, DraftNote, Note, ScreenHeader, TextField, useDraft } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal } from "./api";
import type { Imported } from "./plan";
import type { Tools } from "./tools";

/** Exports everything as a file, and imports songs or such a file. */
export function ExchangeScreen({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	useEffect(() => context.setTitle(say("exchange")), []);
	const save = async (): Promise<void> => {
		const result = await api.exported();
		if (!result.ok) {
			context.announce(say(result.why), "assertive", { label: say("tryAgain"), run: save });
			return;
		}
		const link = document.createElement("a");
		const file = new Blob([JSON.stringify(result.value, undefined, "\t")], { type: "application/json" });
		link.href = URL.createObjectURL(file);
		link.download = "stage.json";
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
	};
	return (
		<div class="exchange">
			<ScreenHeader />
			<section>
				<h2>{say("exportTitle")}</h2>
				<p>{say("exportHelp")}</p>
				<Button onPress={save}>{say("export")}</Button>
			</section>
			<Import tools={tools} what="songs" />
			<Import tools={tools} what="all" />
		</div>
	);
}

interface ImportProps {
	readonly tools: Tools;
	readonly what: "songs" | "all";
}

/** Shows a preview of the changes before an import. */
function Import({ tools, what }: ImportProps) {
	const { context, api, say } = tools;
	const input = useRef<HTMLInputElement>(null);
	const draft = useDraft(context.drafts, `import/${what}`, "");
	const [file, setFile] = useState("");
	const [text, setText] = what === "songs" ? [draft.value, draft.set] : [file, setFile];
	const [preview, setPreview] = useState<Imported>();
	const [refused, setRefused] = useState<Refusal>();
	const look = async (given: string) => {
		setText(given);
		const result = await api.import(what, given, true);
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		setPreview(result.ok ? result.value : undefined);
	};
	const take = async () => {
		const result = await api.import(what, text, false);
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		context.announce(say("imported"));
		setPreview(undefined);
		setText("");
	};
	const choose = async (file: File | undefined) => {
		if (file === undefined) return;
		await look(await file.text());
		if (input.current) input.current.value = ""; // so that the same file can be chosen again
	};
	const fits = preview !== undefined && preview.problems.length === 0;
	return (
		<section>
			<h2>{say(what === "songs" ? "importSongs" : "importAll")}</h2>
			<p>{say(what === "songs" ? "importSongsHelp" : "importAllHelp")}</p>
			<div class="d-stack">
				<DraftNote draft={draft} />
				{what === "songs" && (
					<TextField
						label={say("songsText")}
						lines={6}
						value={text}
						onInput={(typed) => {
							setText(typed);
							setPreview(undefined);
						}}
					/>
				)}
				<div class="d-row">
					{what === "songs" && text.trim() !== "" && !fits && (
						<Button onPress={() => look(text)}>{say("checkText")}</Button>
					)}
					<input
						ref={input}
						type="file"
						accept=".json,.txt,application/json,text/plain"
						class="d-unseen"
						tabIndex={-1}
						aria-hidden="true"
						onChange={(event) => void choose(event.currentTarget.files?.[0])}
					/>
					<Button icon="upload" onPress={() => input.current?.click()}>
						{say("chooseFile")}
					</Button>
				</div>
				{refused !== undefined && (
					<Note tone="bad" role="alert">
						<p>{say(refused)}</p>
					</Note>
				)}
				{preview !== undefined && <Outcome tools={tools} preview={preview} what={what} />}
				{fits && (
					<div class="d-row">
						<Button kind="primary" onPress={take}>
							{say("import")}
						</Button>
					</div>
				)}
			</div>
		</section>
	);
}

/** The changes of an import, or why it is refused. */
function Outcome({ tools: { say }, preview, what }: ImportProps & { readonly preview: Imported }) {
	const { songs, services, problems } = preview;
	if (problems.length > 0) {
		return (
			<Note tone="bad" role="alert">
				<p>{say("importProblems")}</p>
				<ul>
					{problems.map(({ line, code }, n) => (
						<li key={n}>
							{say("inLine", { line })} {say(isProblem(code) ? code : "SERVICE_INVALID")}
						</li>
					))}
				</ul>
			</Note>
		);
	}
	return (
		<Note tone="info" role="status">
			<p>{say("wouldSongs", { ...songs })}</p>
			{what === "all" && <p>{say("wouldServices", { ...services })}</p>}
		</Note>
	);
}

const problemCodes = ["SONG_INVALID", "SERVICE_INVALID", "NO_JSON", "UNKNOWN_LIST", "NO_SONGS"] as const;
const isProblem = (code: string): code is (typeof problemCodes)[number] =>
	(problemCodes as readonly string[]).includes(code);
