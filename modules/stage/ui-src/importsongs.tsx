import {
	Button, DraftNote, FileButton, type ImportProblem, ImportReport, Note, TextField, useDraft, useTransfer,
} from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Tools } from "./tools";

/** Imports songs: typed text, or files of other programs, of which the changes are shown first. */
export function ImportSongs({ tools, imported }: { readonly tools: Tools; imported(): void }) {
	const { context, api, say } = tools;
	const draft = useDraft(context.drafts, "import/songs", "");
	const [name, setName] = useState("");
	const { chosen, refused, busy, look, take, forget } = useTransfer(
		context,
		(given: Blob, preview: boolean) => api.import("songs", given, preview),
		({ songs }) => {
			context.announce(say("importedSongs", { count: songs.new }));
			forget();
			draft.discard();
			imported();
		},
	);
	const check = () => {
		setName(say("songsText"));
		return look(new Blob([draft.value], { type: "text/plain" }));
	};
	const choose = async (files: readonly File[]) => {
		const [first] = files;
		if (first === undefined) return;
		setName(files.length === 1 ? first.name : say("countFiles", { count: files.length }));
		await look(formOf(files));
	};
	const problem = ({ code, detail = "" }: ImportProblem) =>
		[detail, say(isProblem(code) ? code : "SONG_INVALID")].filter((part) => part !== "").join(": ");
	const { songs, examples = [] } = chosen?.answer ?? {};
	return (
		<section>
			<h2>{say("importSongs")}</h2>
			<p id="import-songs-help">{say("importSongsHelp")}</p>
			<div class="d-stack">
				<FileButton
					multiple
					busy={busy}
					busyWords={say("looking")}
					describedBy="import-songs-help"
					onFiles={choose}
				>
					{say("chooseFiles")}
				</FileButton>
				<DraftNote draft={draft} />
				<TextField
					label={say("songsText")}
					help={say("songsTextHelp")}
					lines={6}
					value={draft.value}
					onInput={(typed) => {
						draft.set(typed);
						forget();
					}}
				/>
				{draft.value.trim() !== "" && chosen === undefined && (
					<div class="d-row">
						<Button onPress={check}>{say("checkText")}</Button>
					</div>
				)}
				{refused !== undefined && (
					<Note tone="bad" role="alert">
						<p>{say(refused.why === "denied" ? "editDenied" : refused.why)}</p>
					</Note>
				)}
				{chosen && songs && (
					<ImportReport
						{...{ name, take, forget, problem }}
						answer={chosen.answer}
						effects={[
							say("wouldSongs", { ...songs }),
							...(examples.length > 0 ? [say("songExamples", { titles: examples.join("; ") })] : []),
						]}
						ready={songs.new > 0}
					/>
				)}
			</div>
		</section>
	);
}

/**
 * A form with all files, of the type multipart/form-data. That of FormData has capitals in its boundary,
 * which the type of a Blob cannot have.
 */
function formOf(files: readonly File[]): Blob {
	const random = crypto.getRandomValues(new Uint8Array(16));
	const boundary = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	const head = (name: string) =>
		`--${boundary}\r\nContent-Disposition: form-data; name="file"; ` +
		`filename="${name.replace(/["\\\r\n]/g, "_")}"\r\n\r\n`;
	const parts = files.flatMap((file) => [head(file.name), file, "\r\n"]);
	return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}

const problemCodes = [
	...(["SONG_INVALID", "SONG_SHORTENED", "ORDER_LEFT_OUT", "TOO_MANY_SONGS", "ENCODING_GUESSED"] as const),
	...(["NO_SONGS", "NO_JSON", "UNKNOWN_LIST"] as const),
	...(["FORMAT_UNKNOWN", "FILE_BROKEN", "FILE_TOO_LARGE"] as const),
];
const isProblem = (code: string): code is (typeof problemCodes)[number] =>
	(problemCodes as readonly string[]).includes(code);
