import { Button, DraftNote, Note, ScreenHeader, TextField, useDraft, useTransfer } from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
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
		const lines = JSON.stringify(result.value, undefined, "\t"); // an import names them
		saveFile(new Blob([lines], { type: "application/json" }), "stage.json");
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
	const send = async (given: Blob, preview: boolean) => api.import(what, await given.text(), preview);
	const { chosen, refused, look, take, forget } = useTransfer(context, send, () => {
		context.announce(say("imported"));
		setText("");
	});
	const check = (given: string) => look(new Blob([given]));
	const choose = async (file: File | undefined) => {
		if (file === undefined) return;
		const given = await file.text();
		setText(given);
		await check(given);
		if (input.current) input.current.value = ""; // so that the same file can be chosen again
	};
	const fits = chosen?.answer.problemCount === 0;
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
							forget();
						}}
					/>
				)}
				<div class="d-row">
					{what === "songs" && text.trim() !== "" && !fits && (
						<Button onPress={() => check(text)}>{say("checkText")}</Button>
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
						<p>{say(refused.why === "denied" ? "editDenied" : refused.why)}</p>
					</Note>
				)}
				{chosen && <Outcome tools={tools} preview={chosen.answer} what={what} />}
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
