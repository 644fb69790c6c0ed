import { Combobox, SelectField, TextField, useDraft } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { EditDialog } from "./editdialog";
import { type Item, type Kind, kinds, limits, type ListedSong, nameOf } from "./plan";
import type { Tools } from "./tools";

interface ItemDialogProps {
	readonly tools: Tools;
	readonly service: string;
	/** The item to be changed; none for a new one. */
	readonly item?: Item;
	close(): void;
	saved(): Promise<void>;
}

interface Draft {
	readonly kind: Kind;
	readonly title: string;
	readonly text: string;
	readonly songId: string | null;
	/** As typed into the field. */
	readonly minutes: string;
	readonly transpose: number;
	readonly capo: number;
	/** The rev of the item that was read; none for a new one. */
	readonly rev?: number;
}

/** The key of the words in the dialog of an item; of a new one without an id. */
export const itemDraft = (service: string, id = `new/${service}`): string => `item/${id}`;

/** Edits one item of an order of service. */
export function ItemDialog({ tools, service, item, close, saved }: ItemDialogProps) {
	const { context, api, say } = tools;
	const edited = useDraft(context.drafts, itemDraft(service, item?.id), () => draftOf(item));
	const draft = edited.value;
	const [problems, setProblems] = useState<{ title?: string; song?: string; minutes?: string }>({});
	const [refused, setRefused] = useState<Refusal>();
	const [theirs, setTheirs] = useState<Item>();
	const change = (part: Partial<Draft>) => edited.set((before) => ({ ...before, ...part }));
	const save = async (rev = draft.rev) => {
		const sung = draft.kind === "song";
		const seconds = secondsOf(draft.minutes);
		const found = {
			...(!sung && draft.title.trim() === "" && { title: say("titleNeeded") }),
			...(sung && draft.songId === null && { song: say("songNeeded") }),
			...(seconds === undefined && { minutes: say("minutesInvalid") }),
		};
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		const sent = {
			kind: draft.kind,
			title: draft.title.trim(),
			text: sung ? "" : draft.text,
			songId: sung ? draft.songId : null,
			seconds: seconds ?? 0,
			...(sung && { transpose: draft.transpose, capo: draft.capo }),
		};
		const result = await (item === undefined
			? api.createItem(service, sent)
			: api.editItem(item.id, { ...sent, rev }));
		if (context.signal.aborted) return;
		setTheirs(undefined); // another one may have been saved since
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok && result.why === "conflict" && item !== undefined) {
			const read = await api.service(service);
			if (context.signal.aborted || !read.ok) return;
			const found = read.value.items.find(({ id }) => id === item.id);
			setTheirs(found);
			if (found === undefined) setRefused("gone");
		}
		if (!result.ok) return;
		context.announce(say("saved"));
		edited.discard();
		close();
		await saved();
	};
	return (
		<EditDialog
			tools={tools}
			title={say(item === undefined ? "addItem" : "editItem")}
			refused={refused}
			theirs={
				theirs && {
					fields: fieldsOf(say, draft, draftOf(theirs), theirs.songTitle),
					take: () => {
						edited.begin(draftOf(theirs));
						setRefused(undefined);
					},
					replace: () => save(theirs.rev),
				}
			}
			save={() => save()}
			draft={edited}
			close={close}
		>
			<SelectField
				label={say("kind")}
				value={draft.kind}
				options={kinds.map((kind) => ({ value: kind, label: say(kind) }))}
				onInput={(kind) => change({ kind: kind as Kind })}
			/>
			{draft.kind === "song" && (
				<SongField
					tools={tools}
					chosen={draft.songId}
					known={item?.songId === draft.songId && item !== null ? item : undefined}
					error={problems.song}
					onChoose={(songId) => change({ songId })}
				/>
			)}
			<TextField
				label={say("title")}
				optional={draft.kind === "song"}
				maxLength={limits.title}
				value={draft.title}
				error={problems.title}
				onInput={(title) => change({ title })}
			/>
			{draft.kind === "song" && (
				<>
					<SelectField
						label={say("transpose")}
						value={String(draft.transpose)}
						options={range(-6, 6).map((by) => ({ value: String(by), label: keyOf(say, by) }))}
						onInput={(by) => change({ transpose: Number(by) })}
					/>
					<SelectField
						label={say("capo")}
						help={say("capoHelp")}
						value={String(draft.capo)}
						options={range(0, 9).map((at) => ({
							value: String(at),
							label: at === 0 ? say("noCapo") : say("capoAt", { at }),
						}))}
						onInput={(at) => change({ capo: Number(at) })}
					/>
				</>
			)}
			{draft.kind !== "song" && (
				<TextField
					label={say("text")}
					optional
					help={say("textHelp")}
					lines={6}
					maxLength={limits.text}
					value={draft.text}
					onInput={(text) => change({ text })}
				/>
			)}
			<TextField
				label={say("minutes")}
				optional
				help={say("minutesHelp")}
				value={draft.minutes}
				error={problems.minutes}
				onInput={(minutes) => change({ minutes })}
			/>
		</EditDialog>
	);
}

interface SongFieldProps {
	readonly tools: Tools;
	readonly chosen: string | null;
	/** The item whose song is already chosen. */
	readonly known: Item | undefined;
	readonly error: string | undefined;
	onChoose(id: string | null): void;
}

/** Searches a song by the typed text. */
function SongField({ tools: { api, context, say }, chosen, known, error, onChoose }: SongFieldProps) {
	const [typed, setTyped] = useState("");
	const [songs, setSongs] = useState<readonly ListedSong[]>([]);
	useEffect(() => {
		let gone = false;
		const timer = setTimeout(async () => {
			const result = await api.songs(typed.trim());
			if (!gone && !context.signal.aborted && result.ok) setSongs(result.value.rows);
		}, 150);
		return () => {
			gone = true;
			clearTimeout(timer);
		};
	}, [typed]);
	const options = songs.map(({ id, title, credit }) => ({ id, label: title, detail: credit }));
	if (known?.songId && !options.some(({ id }) => id === known.songId))
		options.unshift({ id: known.songId, label: known.songTitle ?? nameOf(known), detail: "" });
	return (
		<Combobox
			label={say("song")}
			options={options}
			chosen={chosen ?? undefined}
			error={error}
			onType={setTyped}
			onChoose={(id) => onChoose(id ?? null)}
		/>
	);
}

function draftOf(item: Item | undefined): Draft {
	if (item === undefined)
		return { kind: "song", title: "", text: "", songId: null, minutes: "", transpose: 0, capo: 0 };
	const { kind, title, text, songId, seconds, transpose, capo, rev } = item;
	const rest = String(seconds % 60).padStart(2, "0");
	const whole = String(Math.floor(seconds / 60));
	const minutes = seconds === 0 ? "" : rest === "00" ? whole : `${whole}:${rest}`;
	return { kind, title, text, songId, minutes, transpose, capo, rev };
}

/** The fields of one's own and the other version, in words. */
function fieldsOf(say: Tools["say"], mine: Draft, theirs: Draft, theirSong: string | null) {
	const sameSong = mine.songId === theirs.songId;
	return [
		[say("kind"), say(mine.kind), say(theirs.kind)],
		[say("song"), "", sameSong ? "" : (theirSong ?? "–")],
		[say("title"), mine.title, theirs.title],
		[say("text"), mine.text, theirs.text],
		[say("minutes"), mine.minutes, theirs.minutes],
		[say("transpose"), keyOf(say, mine.transpose), keyOf(say, theirs.transpose)],
		[say("capo"), String(mine.capo), String(theirs.capo)],
	] as const;
}

const range = (from: number, to: number): number[] =>
	Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** How much higher or lower a song is played, in words. */
const keyOf = (say: Tools["say"], by: number): string =>
	by === 0 ? say("asWritten") : say(by > 0 ? "higher" : "lower", { count: Math.abs(by) });

/** Converts "4" or "4:30" minutes to seconds; undefined for other texts. */
function secondsOf(minutes: string): number | undefined {
	const text = minutes.trim();
	if (text === "") return 0;
	const [, whole, rest = "0"] = /^(\d{1,3})(?::([0-5]\d))?$/.exec(text) ?? [];
	const seconds = Number(whole) * 60 + Number(rest);
	return seconds <= 6 * 60 * 60 ? seconds : undefined;
}
