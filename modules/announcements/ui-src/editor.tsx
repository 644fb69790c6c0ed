import {
	Button, Checkbox, clockError, Form, MomentField, Note, ScreenHeader, Skeleton, TextField,
} from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import { isPictureOnly } from "../display-src/slideview";
import type { Refusal } from "./api";
import { askToDelete } from "./delete";
import { KindFields } from "./kindfields";
import { LastWriter } from "./lastwriter";
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
import type { Tools } from "./tools";

interface EditorProps {
	readonly tools: Tools;
	/** The notice to be edited; none for a new one. */
	readonly id: string | undefined;
	/** The kind of a new one. */
	readonly kind: string;
}

/** An unfinished slide in the form in which it is stored, so that it survives a sign-in in between. */
interface Kept {
	readonly draft: Draft;
	readonly slide: Slide | undefined;
}

/**
 * Edits one slide. Saving fails if somebody else has changed it meanwhile, so that nobody overwrites another
 * person's work.
 */
export function Editor({ tools, id, kind }: EditorProps) {
	const { context, api, say } = tools;
	const key = id ?? (kind === ownKind ? "new" : `new/${kind}`);
	const [slide, setSlide] = useState<Slide>();
	const [draft, setDraft] = useState<Draft>();
	const [problems, setProblems] = useState<Problems>({});
	const [refused, setRefused] = useState<Refusal>();
	const [busy, setBusy] = useState(false);
	const [dirty, setDirty] = useState(false);

	const fresh = async (): Promise<Slide | undefined> => {
		const result = await api.list();
		if (context.signal.aborted) return undefined;
		const found = result.ok ? result.value.slides.find((candidate) => candidate.id === id) : undefined;
		if (found === undefined) setRefused(result.ok ? "gone" : result.why);
		return found;
	};
	const begin = (unsaved: boolean) => {
		setDirty(unsaved);
		context.setDirty(unsaved);
	};
	const settled = () => {
		context.drafts.delete(key);
		begin(false);
	};
	const show = (shown: Slide) => {
		setSlide(shown);
		setDraft(draftOf(shown));
		setRefused(undefined);
		settled();
	};
	const open = async () => {
		setRefused(undefined);
		const kept = context.drafts.get(key) as Kept | undefined;
		if (kept) {
			setSlide(kept.slide);
			setDraft(kept.draft);
			begin(true);
			context.announce(say("restored"));
		} else if (id === undefined) {
			const other = kind === ownKind ? undefined : await tools.kinds.load(kind);
			if (context.signal.aborted) return;
			const title = other?.label(context.locale) ?? "";
			setDraft({ ...emptyDraft, kind, payload: other?.defaults(context.locale) ?? null, title });
		} else {
			const found = await fresh();
			if (found) show(found);
		}
	};
	useEffect(() => {
		context.setTitle(say(id === undefined ? "newTitle" : "editTitle"));
		void open();
	}, []);

	const change = (part: Partial<Draft>) => {
		if (draft === undefined) return;
		const next = { ...draft, ...part };
		setDraft(next);
		context.drafts.set(key, { draft: next, slide } satisfies Kept);
		begin(true);
	};
	// Pictures and other modules' fields report changes later, when the draft may have changed.
	const latest = useRef(change);
	latest.current = change;
	const leave = () => {
		settled();
		context.navigate("");
	};
	const cancel = async () => {
		const question = {
			title: say("leaveTitle"),
			body: say("leaveHelp"),
			yes: say("leave"),
			no: say("stay"),
			danger: true,
		};
		if (!dirty || (await context.confirm(question))) leave();
	};
	const save = async (against: Slide | undefined) => {
		if (draft === undefined || busy) return;
		const found = problemsOf(draft);
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		if (clockError(draft.startsAt) !== undefined || clockError(draft.endsAt) !== undefined) return;
		setBusy(true);
		const submission = submissionOf(draft, against);
		const result = await (id === undefined ? api.create(submission) : api.edit(id, submission));
		if (context.signal.aborted) return;
		setBusy(false);
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		context.announce(say("saved"));
		leave();
	};
	const overwrite = async () => {
		const theirs = await fresh();
		if (theirs) await save(theirs);
	};
	const takeTheirs = async () => {
		const found = await fresh();
		if (found) show(found);
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
			{refused === "conflict" && (
				<div class="d-row">
					<Button onPress={takeTheirs}>{say("takeTheirs")}</Button>
					<Button onPress={overwrite}>{say("keepMine")}</Button>
				</div>
			)}
		</Note>
	);
	if (draft === undefined) {
		if (refused === undefined) return <Skeleton />;
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
								onChange={(imageId) => latest.current({ imageId })}
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
							onChange={(payload) => latest.current({ payload })}
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
