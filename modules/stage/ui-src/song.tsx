import {
	Button, DraftNote, Form, mayClose, Note, OtherVersion, ScreenHeader, Skeleton, TextField, useDraft,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { limits, sectionsOf, type Song, wordsOf } from "./plan";
import type { Tools } from "./tools";

interface Draft {
	readonly title: string;
	readonly credit: string;
	readonly words: string;
	/** The names of the sections in their order, as typed. */
	readonly verseOrder: string;
	readonly copyright: string;
	readonly ccli: string;
}

const fields = ["title", "credit", "words", "verseOrder", "copyright", "ccli"] as const;
const emptyDraft: Draft = { title: "", credit: "", words: "", verseOrder: "", copyright: "", ccli: "" };

/** What is typed, and the song as it was read. */
interface Edited {
	readonly draft: Draft;
	readonly song: Song | undefined;
}

interface SongProps {
	readonly tools: Tools;
	/** The song to be edited; none for a new one. */
	readonly id: string | undefined;
}

/**
 * Edits one song. Saving fails if somebody else has changed it meanwhile, so that nobody overwrites another
 * person's work.
 */
export function SongScreen({ tools, id }: SongProps) {
	const { context, api, say } = tools;
	const key = `song/${id ?? "new"}`;
	const edited = useDraft<Edited | undefined>(
		context.drafts,
		key,
		id === undefined ? { draft: emptyDraft, song: undefined } : undefined,
	);
	const { draft, song } = edited.value ?? {};
	const [problems, setProblems] = useState<{ title?: string; words?: string; order?: string }>({});
	const [refused, setRefused] = useState<Refusal>();
	/** What somebody else has saved meanwhile. */
	const [theirs, setTheirs] = useState<Song>();
	const [busy, setBusy] = useState(false);

	const fresh = async (): Promise<Song | undefined> => {
		if (id === undefined) return undefined;
		const result = await api.song(id);
		if (context.signal.aborted) return undefined;
		if (!result.ok) setRefused(result.why);
		return result.ok ? result.value : undefined;
	};
	const show = (read: Song | undefined) => {
		if (read === undefined) return;
		edited.begin({ draft: draftOf(read), song: read });
		setRefused(undefined);
	};
	const open = async () => {
		if (id === undefined) edited.discard();
		else show(await fresh());
	};
	useEffect(() => {
		context.setTitle(say(id === undefined ? "newSong" : "editSong"));
		if (id !== undefined && !edited.restored) void open(); // a new one may be typed into already
	}, []);

	const change = (part: Partial<Draft>) =>
		edited.set((before) => before && { ...before, draft: { ...before.draft, ...part } });
	const leave = () => {
		edited.discard();
		context.navigate("songs");
	};
	const cancel = async () => {
		if (await mayClose(edited, context.confirm)) leave();
	};
	const save = async (against: Song | undefined) => {
		if (draft === undefined || busy) return;
		const sections = sectionsOf(draft.words);
		const order = namesOf(draft.verseOrder);
		const unknown = order.find((name) => sections.every(({ label }) => label !== name));
		const found = {
			...(draft.title.trim() === "" && { title: say("titleNeeded") }),
			...(sections.length === 0 && { words: say("wordsNeeded") }),
			...(unknown !== undefined && { order: say("verseOrderUnknown", { name: unknown }) }),
		};
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		setBusy(true);
		const { title, credit, copyright, ccli } = draft;
		const sent = {
			...{ title: title.trim(), credit: credit.trim(), sections, order },
			...{ copyright: copyright.trim(), ccli: ccli.trim() },
		};
		const result = await (id === undefined
			? api.createSong(sent)
			: api.editSong(id, { ...sent, rev: (against ?? song)?.rev ?? 0 }));
		if (context.signal.aborted) return;
		setBusy(false);
		setTheirs(undefined); // another one may have been saved since
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return result.why === "conflict" ? setTheirs(await fresh()) : undefined;
		context.announce(say("saved"));
		leave();
	};
	const remove = async () => {
		if (id === undefined) return;
		const question = {
			...{ title: say("deleteSongQuestion"), body: say("deleteSongHelp", { title: song?.title ?? "" }) },
			...{ yes: say("delete"), no: say("keep"), danger: true },
		};
		if (!(await context.confirm(question))) return;
		const result = await api.removeSong(id);
		if (context.signal.aborted) return;
		if (!result.ok && result.why !== "gone") return setRefused(result.why);
		context.announce(say("deleted"));
		leave();
	};

	const notice = refused !== undefined && (
		<Note tone="bad" role="alert">
			<p>{say(refused === "invalid" ? "songInvalid" : refused === "denied" ? "editDenied" : refused)}</p>
			{refused === "conflict" && theirs && draft && (
				<>
					<OtherVersion
						fields={fields.map((field) => [
							say(field),
							draft[field],
							draftOf(theirs)[field],
						])}
					/>
					<div class="d-row">
						<Button onPress={() => show(theirs)}>{say("takeTheirs")}</Button>
						<Button onPress={() => save(theirs)}>{say("keepMine")}</Button>
					</div>
				</>
			)}
		</Note>
	);
	if (draft === undefined) {
		if (refused === undefined) return <Skeleton shape="form" />;
		return (
			<div class="d-stack">
				{notice}
				<Button onPress={() => context.navigate("songs")}>{say("toSongs")}</Button>
			</div>
		);
	}
	return (
		<>
			<ScreenHeader />
			<Form onSubmit={() => save(song)}>
				<DraftNote draft={edited} discard={open} />
				{notice}
				<TextField
					label={say("title")}
					required
					maxLength={limits.title}
					value={draft.title}
					error={problems.title}
					onInput={(title) => change({ title })}
				/>
				<TextField
					label={say("credit")}
					optional
					help={say("creditHelp")}
					maxLength={limits.credit}
					value={draft.credit}
					onInput={(credit) => change({ credit })}
				/>
				<TextField
					label={say("words")}
					required
					help={say("wordsHelp")}
					lines={16}
					value={draft.words}
					error={problems.words}
					onInput={(words) => change({ words })}
				/>
				<TextField
					label={say("verseOrder")}
					optional
					help={say("verseOrderHelp")}
					value={draft.verseOrder}
					error={problems.order}
					onInput={(verseOrder) => change({ verseOrder })}
				/>
				<TextField
					label={say("copyright")}
					optional
					help={say("notSung")}
					maxLength={limits.credit}
					value={draft.copyright}
					onInput={(copyright) => change({ copyright })}
				/>
				<TextField
					label={say("ccli")}
					optional
					maxLength={limits.ccli}
					value={draft.ccli}
					onInput={(ccli) => change({ ccli })}
				/>
				<div class="d-row">
					<Button submit kind="primary" busy={busy} busyWords={say("saving")}>
						{say("save")}
					</Button>
					<Button onPress={() => void cancel()}>{say("cancel")}</Button>
					{id !== undefined && (
						<Button kind="quiet" icon="trash" class="end" onPress={() => void remove()}>
							{say("deleteAsk")}
						</Button>
					)}
				</div>
			</Form>
		</>
	);
}

const draftOf = ({ title, credit, sections, order, copyright, ccli }: Song): Draft => ({
	...{ title, credit, words: wordsOf(sections), verseOrder: order.join(", "), copyright, ccli },
});

const namesOf = (verseOrder: string): string[] =>
	verseOrder
		.split(/[,\n]/)
		.map((name) => name.trim())
		.filter((name) => name !== "");
