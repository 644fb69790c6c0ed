import { Button, Note, ScreenHeader, useTransfer } from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useRef } from "preact/hooks";
import type { Outcome } from "./event";
import { tell, type Tools } from "./tools";
import type { WordId } from "./words";

const exports = [
	{ path: "/export", name: "calendar.json", words: "exportJson" },
	{ path: "/export.csv", name: "calendar.csv", words: "exportCsv" },
	{ path: "/calendar.ics", name: "calendar.ics", words: "exportIcs" },
] as const;

/** The format of a file, by the ending of its name. */
function formatOf({ name }: File): string {
	const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
	return ["json", "csv"].includes(ending) ? ending : "ics";
}

/** Exports the calendar as a file, and imports others after a preview of the changes. */
export function Transfer({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => context.setTitle(say("transfer")), []);

	const send = (file: Blob, preview: boolean) => api.import(file, formatOf(file as File), preview);
	const { chosen, refused, busy, look, take } = useTransfer(context, send, ({ events }) => {
		context.announce(say("imported", { count: events }));
		context.navigate("");
	});
	const save = async (path: string, name: string): Promise<void> => {
		const result = await api.file(path);
		if (result.ok) saveFile(result.value, name);
		else tell(tools, result, "", () => save(path, name));
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
						onChange={({ currentTarget }) => {
							void look(currentTarget.files?.[0]);
							currentTarget.value = ""; // so that the same file can be chosen again
						}}
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
				{refused && (
					<Note tone="bad" role="alert">
						<p>{say(refused.why)}</p>
					</Note>
				)}
				{chosen && (
					<Preview {...{ tools, take }} name={(chosen.file as File).name} outcome={chosen.answer} />
				)}
			</div>
		</>
	);
}

interface PreviewProps {
	readonly tools: Tools;
	readonly name: string;
	readonly outcome: Outcome;
	take(): Promise<void>;
}

function Preview({ tools: { say }, name, outcome, take }: PreviewProps) {
	const { events, rooms, known, problems, problemCount } = outcome;
	if (problemCount > 0) {
		return (
			<Note tone="bad" role="alert">
				<p>
					<bdi>{name}</bdi>: {say("problemsFound", { count: problemCount })}
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
					<bdi>{name}</bdi>: {say("wouldAdd", {
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
