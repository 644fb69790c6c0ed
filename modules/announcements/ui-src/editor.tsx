import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal } from "./api";
import type { Board } from "./board";
import { DeleteQuestion } from "./deletequestion";
import { type Draft, draftOf, emptyDraft, maxBody, maxTitle, type Problems, problemsOf, type Slide, submissionOf } from "./slide";
import { SlideView } from "./slideview";

interface EditorProps {
	readonly board: Board;
	/** The notice to be edited; none for a new one. */
	readonly id: string | undefined;
}

/** What an unfinished notice is kept as: it survives a sign-in in between. */
interface Kept {
	readonly draft: Draft;
	readonly slide: Slide | undefined;
}

/** Writes one notice. It saves against what the writer saw, so that nobody overwrites another unawares. */
export function Editor({ board, id }: EditorProps) {
	const { context, api, say } = board;
	const key = id ?? "new";
	const [slide, setSlide] = useState<Slide>();
	const [draft, setDraft] = useState<Draft>();
	const [problems, setProblems] = useState<Problems>({});
	const [refused, setRefused] = useState<Refusal>();
	const [busy, setBusy] = useState(false);
	const [deleting, setDeleting] = useState(false);
	const title = useRef<HTMLInputElement>(null);
	const end = useRef<HTMLInputElement>(null);

	const fresh = async (): Promise<Slide | undefined> => {
		const answer = await api.list();
		if (context.signal.aborted) return undefined;
		const found = answer.ok ? answer.value.find((candidate) => candidate.id === id) : undefined;
		if (found === undefined) setRefused(answer.ok ? "gone" : answer.why);
		return found;
	};
	const show = (shown: Slide) => {
		setSlide(shown);
		setDraft(draftOf(shown));
		setRefused(undefined);
		settled();
	};
	const settled = () => {
		context.drafts.delete(key);
		context.setDirty(false);
	};
	const open = async () => {
		setRefused(undefined);
		const kept = context.drafts.get(key) as Kept | undefined;
		if (kept) {
			setSlide(kept.slide);
			setDraft(kept.draft);
			context.setDirty(true);
			context.announce(say("restored"));
		} else if (id === undefined) {
			setDraft(emptyDraft);
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
		context.setDirty(true);
	};
	const leave = () => {
		settled();
		context.navigate("");
	};
	const save = async (against: Slide | undefined) => {
		if (draft === undefined || busy) return;
		const found = problemsOf(draft);
		setProblems(found);
		if (found.title) return title.current?.focus();
		if (found.endsAt) return end.current?.focus();
		setBusy(true);
		const submission = submissionOf(draft, against);
		const answer = await (id === undefined ? api.create(submission) : api.edit(id, submission));
		if (context.signal.aborted) return;
		setBusy(false);
		setRefused(answer.ok ? undefined : answer.why);
		if (!answer.ok) return;
		context.announce(say("saved"));
		leave();
	};
	const overwrite = async () => {
		const theirs = await fresh();
		if (theirs) await save(theirs);
	};
	const theirs = async () => {
		const found = await fresh();
		if (found) show(found);
	};
	const remove = async () => {
		setDeleting(false);
		if (id === undefined) return;
		const answer = await api.remove(id);
		if (context.signal.aborted) return;
		if (!answer.ok && answer.why !== "gone") return setRefused(answer.why);
		context.announce(say("deleted"));
		leave();
	};

	const notice = refused !== undefined && (
		<div class="note bad" role="alert">
			<div class="stack">
				<p>{say(refused)}</p>
				{refused === "conflict" && (
					<div class="row">
						<button type="button" onClick={() => void theirs()}>
							{say("takeTheirs")}
						</button>
						<button type="button" onClick={() => void overwrite()}>
							{say("keepMine")}
						</button>
					</div>
				)}
			</div>
		</div>
	);
	if (draft === undefined) {
		return refused === undefined ? (
			<div class="loading" aria-busy="true" />
		) : (
			<div class="stack">
				{notice}
				<button type="button" onClick={() => context.navigate("")}>
					{say("cancel")}
				</button>
			</div>
		);
	}
	return (
		<div class="editor">
			<form
				class="fields"
				noValidate
				onSubmit={(event) => {
					event.preventDefault();
					void save(slide);
				}}
			>
				{notice}
				<div class="field">
					<label for="announcements-title">{say("title")}</label>
					<input
						ref={title}
						id="announcements-title"
						dir="auto"
						required
						maxLength={maxTitle}
						value={draft.title}
						aria-invalid={problems.title !== undefined}
						aria-describedby={problems.title && "announcements-title-error"}
						onInput={(event) => change({ title: event.currentTarget.value })}
					/>
					{problems.title && (
						<p id="announcements-title-error" class="wrong">
							{say(problems.title)}
						</p>
					)}
				</div>
				<div class="field">
					<label for="announcements-body">{say("text")}</label>
					<small id="announcements-body-help" class="muted">
						{say("textHelp")}
					</small>
					<textarea
						id="announcements-body"
						dir="auto"
						maxLength={maxBody}
						aria-describedby="announcements-body-help"
						value={draft.body}
						onInput={(event) => change({ body: event.currentTarget.value })}
					/>
				</div>
				<div class="pair">
					<div class="field">
						<label for="announcements-from">
							{say("begins")} <span class="muted optional">{say("optional")}</span>
						</label>
						<input
							id="announcements-from"
							type="datetime-local"
							value={draft.startsAt}
							onInput={(event) => change({ startsAt: event.currentTarget.value })}
						/>
					</div>
					<div class="field">
						<label for="announcements-until">
							{say("ends")} <span class="muted optional">{say("optional")}</span>
						</label>
						<input
							ref={end}
							id="announcements-until"
							type="datetime-local"
							value={draft.endsAt}
							aria-invalid={problems.endsAt !== undefined}
							aria-describedby={problems.endsAt && "announcements-until-error"}
							onInput={(event) => change({ endsAt: event.currentTarget.value })}
						/>
						{problems.endsAt && (
							<p id="announcements-until-error" class="wrong">
								{say(problems.endsAt)}
							</p>
						)}
					</div>
				</div>
				<label class="choice">
					<input type="checkbox" checked={draft.enabled} onChange={(event) => change({ enabled: event.currentTarget.checked })} />
					{say("onBoard")}
				</label>
				<div class="row">
					<button type="submit" class="primary" aria-busy={busy}>
						{say("save")}
					</button>
					<button type="button" onClick={leave}>
						{say("cancel")}
					</button>
					{id !== undefined && (
						<button type="button" class="danger end" onClick={() => setDeleting(true)}>
							{say("delete")}
						</button>
					)}
				</div>
			</form>
			<figure class="preview">
				<figcaption class="muted">{say("preview")}</figcaption>
				<div aria-hidden="true">
					<SlideView title={draft.title.trim() || say("previewTitle")} body={draft.body} />
				</div>
			</figure>
			{deleting && <DeleteQuestion board={board} title={slide?.title ?? ""} answer={(yes) => (yes ? void remove() : setDeleting(false))} />}
		</div>
	);
}
