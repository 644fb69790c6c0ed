import {
	Button, FileButton, ImportReport, Note, PastImports, ScreenHeader, useTransfer,
} from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect } from "preact/hooks";
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
	if (["csv", "tsv", "txt", "xlsx", "xlsm", "xls"].includes(ending)) return "csv";
	return ending === "json" ? ending : "ics";
}

/** Exports the calendar as a file, and imports others after a preview of the changes. */
export function Transfer({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	useEffect(() => context.setTitle(say("transfer")), []);

	const { chosen, refused, busy, look, choose, take, forget } = useTransfer(
		context,
		(file, preview, choices) => api.import(file, formatOf(file as File), preview, choices),
		({ events }) => {
			context.announce(say("imported", { count: events }));
			context.navigate("");
		},
	);
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
				<FileButton
					accept=".json,.csv,.tsv,.txt,.xlsx,.ics,.ical,.vcs,text/calendar,text/csv"
					busy={busy}
					busyWords={say("reading")}
					describedBy="import-help"
					onFiles={([file]) => look(file)}
				>
					{say("chooseFile")}
				</FileButton>
				{refused && (
					<Note tone="bad" role="alert">
						<p>{say(refused.why)}</p>
					</Note>
				)}
				{chosen?.answer.problems[0]?.code === "DATES_AMBIGUOUS" && (
					<div class="d-row">
						<Button onPress={() => choose({ dates: "dmy" })}>{say("dayFirst")}</Button>
						<Button onPress={() => choose({ dates: "mdy" })}>{say("monthFirst")}</Button>
					</div>
				)}
				{!chosen && (
					<PastImports
						{...{ context, api }}
						what={({ events = 0, rooms = 0 }) =>
							[
								say("countEvents", { count: events }),
								...(rooms > 0 ? [say("countRooms", { count: rooms })] : []),
							].join(", ")
						}
						refused={({ why }) => say(why)}
					/>
				)}
				{chosen && (
					<ImportReport
						{...{ take, forget }}
						name={(chosen.file as File).name}
						answer={chosen.answer}
						effects={effectsOf(tools, chosen.answer)}
						ready={chosen.answer.events + chosen.answer.rooms > 0}
						problem={({ code, detail = "" }) => say(`problem_${code}` as WordId, { detail })}
						columns={columnsOf(tools)}
						choose={(columns) => choose({ columns })}
					/>
				)}
			</div>
		</>
	);
}

const columnIds = [
	...(["title", "start", "starttime", "end", "endtime", "allday", "place", "rooms", "text", "rule"] as const),
];

/** What the columns of a table of events are called. */
const columnsOf = ({ say }: Tools) => Object.fromEntries(columnIds.map((id) => [id, say(`column_${id}`)]));

/** What an import changes, in words. */
function effectsOf({ say, forms }: Tools, { events, rooms, known, examples }: Outcome): string[] {
	const added = {
		events: say("countEvents", { count: events }),
		rooms: say("countRooms", { count: rooms }),
	};
	return [
		say("wouldAdd", added),
		...(known > 0 ? [say("alreadyHere", { count: known })] : []),
		...examples.map(({ title, start }) => {
			const time = start.length > 10 ? `, ${forms.time(start)}` : "";
			return say("example", { when: forms.dayAndYear(start.slice(0, 10)) + time, title });
		}),
	];
}
