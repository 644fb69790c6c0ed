import { Button, FileButton, Note, PastImports, ScreenHeader, useTransfer } from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import { ImportSongs } from "./importsongs";
import type { Imported } from "./plan";
import type { Tools } from "./tools";

/** Exports everything as a file, and imports songs or such a file. */
export function ExchangeScreen({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	const [done, setDone] = useState(0);
	const imported = () => setDone(done + 1);
	useEffect(() => context.setTitle(say("exchange")), []);
	return (
		<div class="exchange">
			<ScreenHeader />
			<Export tools={tools} />
			<ImportSongs {...{ tools, imported }} />
			<ImportAll {...{ tools, imported }} />
			<PastImports
				key={done}
				{...{ context, api }}
				what={({ songs = 0, services = 0 }) =>
					[
						...(songs > 0 ? [say("countSongs", { count: songs })] : []),
						...(services > 0 ? [say("countServices", { count: services })] : []),
					].join(", ")
				}
				refused={({ why }) => say(why === "denied" ? "editDenied" : why)}
			/>
		</div>
	);
}

function Export({ tools: { context, api, say } }: { readonly tools: Tools }) {
	const save = async (): Promise<void> => {
		const result = await api.exported();
		if (!result.ok) {
			context.announce(say(result.why), "assertive", { label: say("tryAgain"), run: save });
			return;
		}
		const lines = JSON.stringify(result.value, undefined, "\t"); // an import names them
		saveFile(new Blob([lines], { type: "application/json" }), "stage.json");
	};
	const saveSongs = async (format: "openlyrics" | "chordpro"): Promise<void> => {
		const result = await api.exportedSongs(format);
		if (result.ok) return saveFile(result.value, `songs-${format}.zip`);
		context.announce(say(result.why), "assertive", { label: say("tryAgain"), run: () => saveSongs(format) });
	};
	return (
		<section>
			<h2>{say("exportTitle")}</h2>
			<p>{say("exportHelp")}</p>
			<Button onPress={save}>{say("export")}</Button>
			<p>{say("exportSongsHelp")}</p>
			<div class="d-row">
				<Button onPress={() => saveSongs("openlyrics")}>OpenLyrics</Button>
				<Button onPress={() => saveSongs("chordpro")}>ChordPro</Button>
			</div>
		</section>
	);
}

interface ImportProps {
	readonly tools: Tools;
	/** Called after an import. */
	imported(): void;
}

/** Imports an exported file after a preview of its changes. */
function ImportAll({ tools, imported }: ImportProps) {
	const { context, api, say } = tools;
	const { chosen, refused, look, take, forget } = useTransfer(
		context,
		(given: Blob, preview: boolean) => api.import("all", given, preview),
		() => {
			context.announce(say("imported"));
			forget();
			imported();
		},
	);
	return (
		<section>
			<h2>{say("importAll")}</h2>
			<p>{say("importAllHelp")}</p>
			<div class="d-stack">
				<FileButton accept=".json,application/json" onFiles={([file]) => look(file)}>
					{say("chooseFile")}
				</FileButton>
				{refused !== undefined && (
					<Note tone="bad" role="alert">
						<p>{say(refused.why === "denied" ? "editDenied" : refused.why)}</p>
					</Note>
				)}
				{chosen && <Outcome tools={tools} preview={chosen.answer} />}
				{chosen?.answer.problemCount === 0 && (
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

interface OutcomeProps {
	readonly tools: Tools;
	readonly preview: Imported;
}

/** The changes of an import, or why it is refused. */
function Outcome({ tools: { say }, preview: { songs, services, problems } }: OutcomeProps) {
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
			<p>{say("wouldServices", { ...services })}</p>
		</Note>
	);
}

const problemCodes = ["SONG_INVALID", "SERVICE_INVALID", "NO_JSON", "UNKNOWN_LIST"] as const;
const isProblem = (code: string): code is (typeof problemCodes)[number] =>
	(problemCodes as readonly string[]).includes(code);
