import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app/app";
import type { Router } from "../app/router";
import { t } from "../words/words";

/** How long the status line stays, milliseconds. */
const shown = 6_000;

/** The one polite region, which is the status line that everybody sees, and the one that interrupts. */
export function LiveRegions({ app }: { readonly app: App }) {
	const said = app.said.value;
	const [polite, setPolite] = useState("");
	const [assertive, setAssertive] = useState("");
	useEffect(() => {
		if (!said) return;
		const say = said.level === "assertive" ? setAssertive : setPolite;
		say(""); // the same words again are news, too
		const timers = [setTimeout(() => say(said.text), 50), setTimeout(() => say(""), shown)];
		return () => timers.forEach(clearTimeout);
	}, [said]);
	return (
		<>
			<div class="status" role="status">
				{polite}
			</div>
			<div class="unseen" role="alert" aria-live="assertive">
				{assertive}
			</div>
		</>
	);
}

/** Asks before unsaved work is left. Escape stays. */
export function LeaveQuestion({ router }: { readonly router: Router }) {
	const question = router.question.value;
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		if (question && !dialog.current?.open) dialog.current?.showModal();
		if (!question) dialog.current?.close();
	}, [question]);
	const leave = () => {
		dialog.current?.close(); // it gives the focus back, which the next screen then takes
		question?.leave();
	};
	return (
		<dialog ref={dialog} aria-labelledby="leave-title" onCancel={() => question?.stay()}>
			{question && (
				<div class="stack">
					<h2 id="leave-title">{t("leaveTitle")}</h2>
					<p>{t("leaveHelp")}</p>
					<div class="row">
						<button type="button" class="primary" onClick={() => question.stay()}>
							{t("stay")}
						</button>
						<button type="button" class="danger" onClick={leave}>
							{t("leave")}
						</button>
					</div>
				</div>
			)}
		</dialog>
	);
}

