import { signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button";
import { FormSending, useSending } from "./sending";

export interface DialogProps {
	readonly title: string;
	readonly size?: "small" | "medium" | "large";
	/**
	 * The content of the footer: text first, then the buttons with the primary one last. One with submit
	 * submits the form in the dialog.
	 */
	readonly footer: ComponentChildren;
	/** Called when the person presses Escape. */
	onClose(): void;
	readonly children: ComponentChildren;
}

/** The open dialogs, the uppermost last. Everything outside the uppermost one is inert. */
export const openDialogs = signal<readonly HTMLDialogElement[]>([]);

/** Shows a dialog over the page while it is rendered. Afterwards the focus returns to where it was. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
	useLayoutEffect(() => {
		const shown = dialog.current;
		if (shown === null) return;
		shown.showModal();
		openDialogs.value = [...openDialogs.peek(), shown];
		return () => {
			openDialogs.value = openDialogs.peek().filter((other) => other !== shown);
			shown.close(); // while it is in the page, so that the focus returns
		};
	}, []);
}

/** A dialog over the page, shown while it is rendered. */
export function Dialog({ title, size = "small", footer, onClose, children }: DialogProps) {
	const id = useId();
	const dialog = useRef<HTMLDialogElement>(null);
	const sending = useSending();
	useModal(dialog);
	return (
		<dialog
			ref={dialog}
			class={`d-${size}`}
			aria-labelledby={id}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
		>
			<h2 id={id} class="d-dialog-title">
				{title}
			</h2>
			<FormSending.Provider value={sending}>
				<div class="d-dialog-body">{children}</div>
				<div class="d-dialog-footer">{footer}</div>
			</FormSending.Provider>
		</dialog>
	);
}

export interface Question {
	/** The question. */
	readonly title: string;
	/** One sentence for each effect. */
	readonly body: readonly string[];
	/** What is true whatever the answer is, in small print; its first sentence introduces the others. */
	readonly aside?: readonly string[];
	/** Verbs: "Switch off", and the safe choice: "Leave it on". Without "yes" the dialog only informs. */
	readonly yes?: string;
	readonly no: string;
	/** The action cannot be undone. */
	readonly danger?: boolean;
}

interface Asked extends Question {
	answer(yes: boolean): void;
}

/** Confirmation dialogs, one at a time: a new question answers the open one with no. */
export class Questions {
	readonly current = signal<Asked | undefined>(undefined);

	ask(question: Question): Promise<boolean> {
		this.current.peek()?.answer(false);
		return new Promise((resolve) => {
			const answer = (yes: boolean) => {
				if (this.current.peek() === asked) this.current.value = undefined;
				resolve(yes);
			};
			const asked = { ...question, answer };
			this.current.value = asked;
		});
	}

	/** Closes the question; the caller gets a no. */
	withdraw(): void {
		this.current.peek()?.answer(false);
	}
}

/** Renders the current question. */
export function Confirm({ questions }: { readonly questions: Questions }) {
	const asked = questions.current.value;
	return asked === undefined ? null : <Asking key={asked} asked={asked} />;
}

function Asking({ asked }: { readonly asked: Asked }) {
	const safe = useRef<HTMLButtonElement>(null);
	useEffect(() => safe.current?.focus(), []);
	return (
		<Dialog
			title={asked.title}
			onClose={() => asked.answer(false)}
			footer={
				<>
					<Button buttonRef={safe} onPress={() => asked.answer(false)}>
						{asked.no}
					</Button>
					{asked.yes !== undefined && (
						<Button kind={asked.danger ? "danger" : "primary"} onPress={() => asked.answer(true)}>
							{asked.yes}
						</Button>
					)}
				</>
			}
		>
			{asked.body.map((sentence) => (
				<p key={sentence}>{sentence}</p>
			))}
			{asked.aside?.map((sentence) => (
				<p key={sentence} class="d-second">
					{sentence}
				</p>
			))}
		</Dialog>
	);
}
