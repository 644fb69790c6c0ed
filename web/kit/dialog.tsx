import { signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button";

export interface DialogProps {
	readonly title: string;
	readonly size?: "small" | "medium" | "large";
	/** What is said at the start of the footer, and the buttons: the primary one last. */
	readonly footer: ComponentChildren;
	/** Escape. */
	onClose(): void;
	readonly children: ComponentChildren;
}

/** The dialogs that are open, the uppermost last. Everything outside that one is inert. */
export const openDialogs = signal<readonly HTMLDialogElement[]>([]);

/** Shows a dialog over the page as long as it is rendered. The focus returns where it was. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
	useLayoutEffect(() => {
		const shown = dialog.current;
		if (shown === null) return;
		shown.showModal();
		openDialogs.value = [...openDialogs.peek(), shown];
		return () => {
			openDialogs.value = openDialogs.peek().filter((other) => other !== shown);
			shown.close(); // while it is still in the page, so that the focus goes back
		};
	}, []);
}

/** A dialog over the page, as long as it is rendered. */
export function Dialog({ title, size = "small", footer, onClose, children }: DialogProps) {
	const id = useId();
	const dialog = useRef<HTMLDialogElement>(null);
	useModal(dialog);
	return (
		<dialog
			ref={dialog}
			class={size}
			aria-labelledby={id}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
		>
			<h2 id={id} class="dialog-title">
				{title}
			</h2>
			<div class="dialog-body">{children}</div>
			<div class="dialog-footer">{footer}</div>
		</dialog>
	);
}

export interface Question {
	/** The question itself. */
	readonly title: string;
	/** One sentence an effect. */
	readonly body: readonly string[];
	/** Verbs: "Switch off", and the safe one: "Leave it on". Without a "yes" it only tells. */
	readonly yes?: string;
	readonly no: string;
	/** What cannot be undone. */
	readonly danger?: boolean;
}

interface Asked extends Question {
	answer(yes: boolean): void;
}

/** Questions before what cannot be undone, one at a time: a new one answers the one before with no. */
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

	/** Takes the question back: the caller gets a no. */
	withdraw(): void {
		this.current.peek()?.answer(false);
	}
}

/** Where the questions are asked. */
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
		</Dialog>
	);
}
