import { Button, FileButton, ImportReport, Note, PastImports, ScreenHeader, useTransfer } from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import { ImportSongs } from "./importsongs";
import type { Counts } from "./plan";
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
	const [name, setName] = useState("");
	const { chosen, refused, look, take, forget } = useTransfer(
		context,
		(given: Blob, preview: boolean) => api.import("all", given, preview),
		() => {
			context.announce(say("imported"));
			forget();
			imported();
		},
	);
	const choose = ([file]: readonly File[]) => {
		setName(file?.name ?? "");
		return look(file);
	};
	return (
		<section>
			<h2>{say("importAll")}</h2>
			<p>{say("importAllHelp")}</p>
			<div class="d-stack">
				<FileButton accept=".json,application/json" onFiles={choose}>
					{say("chooseFile")}
				</FileButton>
				{refused !== undefined && (
					<Note tone="bad" role="alert">
						<p>{say(refused.why === "denied" ? "editDenied" : refused.why)}</p>
					</Note>
				)}
				{chosen && (
					<ImportReport
						{...{ name, take, forget }}
						answer={chosen.answer}
						effects={[
							say("wouldSongs", { ...chosen.answer.songs }),
							say("wouldServices", { ...chosen.answer.services }),
						]}
						ready={anything(chosen.answer.songs) || anything(chosen.answer.services)}
						problem={({ code, detail = "" }) =>
							[detail, say(isProblem(code) ? code : "SERVICE_INVALID")].filter((part) => part !== "").join(": ")
						}
					/>
				)}
			</div>
		</section>
	);
}

const anything = (counts: Counts): boolean => counts.new + counts.changed > 0;

const problemCodes = [
	...(["SONG_INVALID", "SERVICE_INVALID", "SONG_MISSING", "ITEM_ELSEWHERE"] as const),
	...(["NO_JSON", "UNKNOWN_LIST"] as const),
];
const isProblem = (code: string): code is (typeof problemCodes)[number] =>
	(problemCodes as readonly string[]).includes(code);
