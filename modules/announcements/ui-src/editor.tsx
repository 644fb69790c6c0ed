import {
	Button, Checkbox, clockError, DraftNote, Form, mayClose, MomentField, Note, OtherVersion, ScreenHeader,
	Skeleton, TextField, useDraft,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { isPictureOnly } from "../display-src/slideview";
import type { Refusal } from "./api";
import { askToDelete } from "./delete";
import { KindFields } from "./kindfields";
import { LastWriter } from "./lastwriter";
import { OnlyFields } from "./onlyfields";
import { PictureField } from "./picturefield";
import { Preview } from "./preview";
import {
	type Draft,
	draftOf,
	emptyDraft,
	maxBody,
	maxTitle,
	ownKind,
	type Problems,
	problemsOf,
	type Slide,
	submissionOf,
	withPictureOnly,
} from "./slide";
import { daysOf, type Tools } from "./tools";

interface EditorProps {
	readonly tools: Tools;
	/** The notice to be edited; none for a new one. */
	readonly id: string | undefined;
	/** The kind of a new one. */
	readonly kind: string;
	/** Called when a new one is stored. */
	created(): void;
}

/** What is typed, and the slide as it was read. */
interface Edited {
	readonly draft: Draft;
	readonly slide: Slide | undefined;
}

/**
 * Edits one slide. Saving fails if somebody else has changed it meanwhile, so that nobody overwrites another
 * person's work.
 */
export function Editor({ tools, id, kind, created }: EditorProps) {
	const { context, api, say } = tools;
	const key = id ?? (kind === ownKind ? "new" : `new/${kind}`);
	const edited = useDraft<Edited | undefined>(context.drafts, key, undefined);
	const { draft, slide } = edited.value ?? {};
	const [problems, setProblems] = useState<Problems>({});
	const [refused, setRefused] = useState<Refusal>();
	/** What somebody else has saved meanwhile. */
	const [theirs, setTheirs] = useState<Slide>();
	const [busy, setBusy] = useState(false);

	const fresh = async (): Promise<Slide | undefined> => {
		const result = await api.list();
		if (context.signal.aborted) return undefined;
		const found = result.ok ? result.value.slides.find((candidate) => candidate.id === id) : undefined;
		if (found === undefined) setRefused(result.ok ? "gone" : result.why);
		return found;
	};
	const show = (shown: Slide) => {
		edited.begin({ draft: draftOf(shown), slide: shown });
		setRefused(undefined);
	};
	const open = async () => {
		setRefused(undefined);
		if (id === undefined) {
			const other = kind === ownKind ? undefined : await tools.kinds.load(kind);
			if (context.signal.aborted) return;
			const title = other?.label(context.locale) ?? "";
			const draft = { ...emptyDraft, kind, payload: other?.defaults(context.locale) ?? null, title };
			edited.begin({ draft, slide: undefined });
		} else {
			const found = await fresh();
			if (found) show(found);
		}
	};
	useEffect(() => {
		context.setTitle(say(id === undefined ? "newTitle" : "editTitle"));
		if (!edited.restored) void open();
	}, []);

	// Pictures and other modules' fields report changes later, when the draft may have changed.
	const change = (part: Partial<Draft>) =>
		edited.set((before) => before && { ...before, draft: { ...before.draft, ...part } });
	const leave = () => {
		edited.discard();
		context.navigate("");
	};
	const cancel = async () => {
		if (await mayClose(edited, context.confirm)) leave();
	};
	const save = async (against: Slide | undefined) => {
		if (draft === undefined || busy) return;
		const found = problemsOf(draft);
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		const times = [draft.startsAt, draft.endsAt, draft.from, draft.until];
		if (times.some((time) => clockError(time) !== undefined)) return;
		setBusy(true);
		const submission = submissionOf(draft, against);
		const result = await (id === undefined ? api.create(submission) : api.edit(id, submission));
		if (context.signal.aborted) return;
		setBusy(false);
		setTheirs(undefined); // another one may have been saved since
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return result.why === "conflict" ? setTheirs(await fresh()) : undefined;
		context.announce(say("saved"));
		if (id === undefined) created();
		leave();
	};
	const remove = async () => {
		if (id === undefined || !(await askToDelete(tools, slide?.title ?? ""))) return;
		const result = await api.remove(id);
		if (context.signal.aborted) return;
		if (!result.ok && result.why !== "gone") return setRefused(result.why);
		context.announce(say("deleted"));
		leave();
	};

	const notice = refused !== undefined && (
		<Note tone="bad" role="alert">
			<p>{say(refused)}</p>
			{refused === "conflict" && theirs && draft && (
				<>
					<OtherVersion fields={fieldsOf(tools, draft, draftOf(theirs))} />
					{!sameLook(draft, draftOf(theirs)) && <Preview tools={tools} draft={draftOf(theirs)} />}
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
				<Button onPress={() => context.navigate("")}>{say("toList")}</Button>
			</div>
		);
	}
	const alone = isPictureOnly(draft);
	return (
		<>
			<ScreenHeader />
			<div class="editor">
				<Form onSubmit={() => save(slide)}>
					<DraftNote draft={edited} discard={open} />
					{notice}
					<TextField
						label={say("title")}
						required
						maxLength={maxTitle}
						value={draft.title}
						error={problems.title && say(problems.title)}
						onInput={(title) => change({ title })}
					/>
					{draft.kind === ownKind ? (
						<>
							<TextField
								label={say("text")}
								help={say(alone ? "textForReaders" : "textHelp")}
								lines={6}
								maxLength={maxBody}
								value={draft.body}
								onInput={(body) => change({ body })}
							/>
							<PictureField
								tools={tools}
								imageId={draft.imageId}
								error={refused === "imageUnknown" ? say(refused) : undefined}
								onChange={(imageId) => change({ imageId })}
							/>
							{draft.imageId !== null && (
								<Checkbox
									label={say("pictureOnly")}
									checked={alone}
									onChange={(checked) => change(withPictureOnly(draft, checked))}
								/>
							)}
						</>
					) : (
						<KindFields
							tools={tools}
							kind={draft.kind}
							payload={draft.payload}
							onChange={(payload) => change({ payload })}
						/>
					)}
					<div class="pair">
						<MomentField
							label={say("begins")}
							optional
							value={draft.startsAt}
							onInput={(startsAt) => change({ startsAt })}
						/>
						<MomentField
							label={say("ends")}
							optional
							value={draft.endsAt}
							error={problems.endsAt && say(problems.endsAt)}
							onInput={(endsAt) => change({ endsAt })}
						/>
					</div>
					<OnlyFields tools={tools} draft={draft} problems={problems} onChange={change} />
					<Checkbox
						label={say("onBoard")}
						checked={draft.enabled}
						onChange={(enabled) => change({ enabled })}
					/>
					{id !== undefined && <LastWriter tools={tools} id={id} />}
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
				<Preview tools={tools} draft={draft} />
			</div>
		</>
	);
}

/** The fields of one's own and the other version, in words. */
function fieldsOf(tools: Tools, mine: Draft, theirs: Draft) {
	const { say, time } = tools;
	const when = (at: string) => (at === "" || clockError(at) !== undefined ? at : time(at));
	return [
		[say("title"), mine.title, theirs.title],
		[say("text"), mine.body, theirs.body],
		[say("begins"), when(mine.startsAt), when(theirs.startsAt)],
		[say("ends"), when(mine.endsAt), when(theirs.endsAt)],
		[say("onlyWeekdays"), daysOf(tools, mine.weekdays), daysOf(tools, theirs.weekdays)],
		[say("onlyFrom"), hoursOf(mine), hoursOf(theirs)],
		[say("onlyScreens"), mine.screens, theirs.screens],
		[say("onBoard"), markOf(mine.enabled), markOf(theirs.enabled)],
	] as const;
}

const hoursOf = ({ from, until }: Draft): string => (from === "" ? "" : `${from}–${until}`);

const markOf = (on: boolean): string => (on ? "✓" : "");

/** Whether two versions have the same picture, and the same values of another module's fields. */
const sameLook = (mine: Draft, theirs: Draft): boolean =>
	mine.imageId === theirs.imageId && JSON.stringify(mine.payload) === JSON.stringify(theirs.payload);
