import { useEffect, useRef } from "preact/hooks";
import type { Board } from "./board";

interface DeleteQuestionProps {
	readonly board: Board;
	readonly title: string;
	answer(yes: boolean): void;
}

/** Asks before a notice goes for everybody. Escape keeps it. */
export function DeleteQuestion({ board: { say }, title, answer }: DeleteQuestionProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog ref={dialog} aria-labelledby="announcements-delete" onCancel={() => answer(false)}>
			<div class="stack">
				<h2 id="announcements-delete">{say("deleteQuestion")}</h2>
				<p>{say("deleteHelp", { title })}</p>
				<div class="row">
					<button type="button" class="primary" onClick={() => answer(false)}>
						{say("keep")}
					</button>
					<button type="button" class="danger" onClick={() => answer(true)}>
						{say("delete")}
					</button>
				</div>
			</div>
		</dialog>
	);
}
