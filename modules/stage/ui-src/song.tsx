import { Button, Form, Note, ScreenHeader, Skeleton, TextField } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { limits, sectionsOf, type Song, wordsOf } from "./plan";
import type { Tools } from "./tools";

interface Draft {
	readonly title: string;
	readonly credit: string;
	readonly words: string;
}

/** An unfinished song in the form in which it is stored, so that it survives a sign-in in between. */
interface Kept {
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
	const [song, setSong] = useState<Song>();
	const [draft, setDraft] = useState<Draft>();
	const [problems, setProblems] = useState<{ title?: string; words?: string }>({});
	const [refused, setRefused] = useState<Refusal>();
	const [busy, setBusy] = useState(false);

	const settled = () => {
		context.drafts.delete(key);
		context.setDirty(false);
	};
	const fresh = async (): Promise<Song | undefined> => {
		if (id === undefined) return undefined;
		const result = await api.song(id);
		if (context.signal.aborted) return undefined;
		if (!result.ok) setRefused(result.why);
		return result.ok ? result.value : undefined;
	};
	const open = async () => {
		setRefused(undefined);
		const kept = context.drafts.get(key) as Kept | undefined;
		if (kept) {
			setSong(kept.song);
			setDraft(kept.draft);
			context.setDirty(true);
			context.announce(say("restored"));
		} else if (id === undefined) setDraft({ title: "", credit: "", words: "" });
		else show(await fresh());
	};
	const show = (read: Song | undefined) => {
		if (read === undefined) return;
		setSong(read);
		setDraft({ title: read.title, credit: read.credit, words: wordsOf(read.sections) });
		setRefused(undefined);
		settled();
	};
	useEffect(() => {
		context.setTitle(say(id === undefined ? "newSong" : "editSong"));
		void open();
	}, []);

	const change = (part: Partial<Draft>) => {
		if (draft === undefined) return;
		const next = { ...draft, ...part };
		setDraft(next);
		context.drafts.set(key, { draft: next, song } satisfies Kept);
		context.setDirty(true);
	};
	const leave = () => {
		settled();
		context.navigate("songs");
	};
	const cancel = async () => {
		const question = {
			...{ title: say("leaveTitle"), body: say("leaveHelp"), yes: say("leave"), no: say("stay") },
			danger: true,
		};
		if (context.drafts.get(key) === undefined || (await context.confirm(question))) leave();
	};
	const save = async (against: Song | undefined) => {
		if (draft === undefined || busy) return;
		const sections = sectionsOf(draft.words);
		const found = {
			...(draft.title.trim() === "" && { title: say("titleNeeded") }),
			...(sections.length === 0 && { words: say("wordsNeeded") }),
		};
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		setBusy(true);
		const sent = { title: draft.title.trim(), credit: draft.credit.trim(), sections };
		const result = await (id === undefined
			? api.createSong(sent)
			: api.editSong(id, { ...sent, rev: (against ?? song)?.rev ?? 0 }));
		if (context.signal.aborted) return;
		setBusy(false);
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
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
			<p>{say(refused === "invalid" ? "songInvalid" : refused)}</p>
			{refused === "conflict" && (
				<div class="d-row">
					<Button onPress={async () => show(await fresh())}>{say("takeTheirs")}</Button>
					<Button onPress={async () => save(await fresh())}>{say("keepMine")}</Button>
				</div>
			)}
		</Note>
	);
	if (draft === undefined) {
		if (refused === undefined) return <Skeleton />;
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
