import { Button, Note, ScreenHeader } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Tools } from "./tools";
import type { WordId } from "./words";

/** The changes that an import makes, or would make. */
interface Outcome {
	readonly events: number;
	readonly rooms: number;
	readonly known: number;
	readonly problems: readonly { readonly line: number; readonly code: string; readonly detail?: string }[];
	readonly problemCount: number;
}

interface Chosen {
	readonly file: File;
	readonly format: string;
	readonly outcome: Outcome;
}

const exports = [
	{ path: "/export", name: "calendar.json", words: "exportJson" },
	{ path: "/export.csv", name: "calendar.csv", words: "exportCsv" },
	{ path: "/calendar.ics", name: "calendar.ics", words: "exportIcs" },
] as const;

/** Exports the calendar as a file, and imports others after a preview of the changes. */
export function Transfer({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	const [chosen, setChosen] = useState<Chosen>();
	const [wrong, setWrong] = useState<WordId>();
	const [busy, setBusy] = useState(false);
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => context.setTitle(say("transfer")), []);

	const ask = (file: File, format: string, preview: boolean) =>
		api.ask<Outcome>(
			"POST",
			`/import?format=${format}${preview ? "&preview=1" : ""}`,
			file,
			file.type || "text/plain",
		);
	const look = async (file: File | undefined) => {
		if (file === undefined) return;
		const ending = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
		const format = ["json", "csv"].includes(ending) ? ending : "ics";
		setWrong(undefined);
		setBusy(true);
		const result = await ask(file, format, true);
		if (context.signal.aborted) return;
		setBusy(false);
		if (input.current) input.current.value = ""; // so that the same file can be chosen again
		setChosen(result.ok ? { file, format, outcome: result.value } : undefined);
		if (!result.ok) setWrong(result.why);
	};
	const take = async () => {
		if (chosen === undefined) return;
		const result = await ask(chosen.file, chosen.format, false);
		if (context.signal.aborted) return;
		if (!result.ok) return setWrong(result.why);
		setChosen(undefined);
		context.announce(say("imported", { count: result.value.events }));
		context.navigate("");
	};
	const save = async (path: string, name: string) => {
		try {
			const response = await context.api(path);
			if (!response.ok) throw new Error(String(response.status));
			const link = document.createElement("a");
			link.href = URL.createObjectURL(await response.blob());
			link.download = name;
			link.click();
			setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // by then the browser has read it
		} catch {
			const retry = { label: say("tryAgain"), run: () => save(path, name) };
			context.announce(say(navigator.onLine ? "failed" : "offline"), "assertive", retry);
		}
	};
	return (
		<>
			<ScreenHeader actions={<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>} />
			<div class="d-stack narrow">
				<h2>{say("exportTitle")}</h2>
				<p class="d-muted">{say("exportHelp")}</p>
				<div class="d-row">
					{exports.map(({ path, name, words }) => (
						<Button key={path} onPress={() => save(path, name)}>
							{say(words)}
						</Button>
					))}
				</div>
				<h2>{say("importTitle")}</h2>
				<p class="d-muted" id="import-help">
					{say("importHelp")}
				</p>
				<div class="d-row">
					<input
						ref={input}
						type="file"
						class="d-unseen"
						tabIndex={-1}
						aria-label={say("chooseFile")}
						accept=".json,.csv,.ics,text/calendar"
						onChange={(event) => void look(event.currentTarget.files?.[0])}
					/>
					<Button
						icon="upload"
						busy={busy}
						busyWords={say("reading")}
						describedBy="import-help"
						onPress={() => input.current?.click()}
					>
						{say("chooseFile")}
					</Button>
				</div>
				{wrong && (
					<Note tone="bad" role="alert">
						<p>{say(wrong)}</p>
					</Note>
				)}
				{chosen && <Preview tools={tools} chosen={chosen} take={take} />}
			</div>
		</>
	);
}

interface PreviewProps {
	readonly tools: Tools;
	readonly chosen: Chosen;
	take(): Promise<void>;
}

function Preview({ tools: { say }, chosen: { file, outcome }, take }: PreviewProps) {
	const { events, rooms, known, problems, problemCount } = outcome;
	if (problemCount > 0) {
		return (
			<Note tone="bad" role="alert">
				<p>
					<bdi>{file.name}</bdi>: {say("problemsFound", { count: problemCount })}
				</p>
				<ul class="taken">
					{problems.map(({ line, code, detail = "" }, at) => (
						<li key={at}>{say("problemAt", { line, what: say(`problem_${code}` as WordId, { detail }) })}</li>
					))}
				</ul>
			</Note>
		);
	}
	return (
		<>
			<Note role="status">
				<p>
					<bdi>{file.name}</bdi>: {say("wouldAdd", {
						events: say("countEvents", { count: events }),
						rooms: say("countRooms", { count: rooms }),
					})}
				</p>
				{known > 0 && <p>{say("alreadyHere", { count: known })}</p>}
			</Note>
			{events + rooms > 0 && (
				<Button kind="primary" onPress={take}>
					{say("doImport")}
				</Button>
			)}
		</>
	);
}
