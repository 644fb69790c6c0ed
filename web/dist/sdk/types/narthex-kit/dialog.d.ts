import type { ComponentChildren, RefObject } from "preact";
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
export declare const openDialogs: import("@preact/signals-core").Signal<readonly HTMLDialogElement[]>;
/** Shows a dialog over the page while it is rendered. Afterwards the focus returns to where it was. */
export declare function useModal(dialog: RefObject<HTMLDialogElement | null>): void;
/** A dialog over the page, shown while it is rendered. */
export declare function Dialog({ title, size, footer, onClose, children }: DialogProps): import("preact").JSX.Element;
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
export declare class Questions {
    readonly current: import("@preact/signals-core").Signal<Asked | undefined>;
    ask(question: Question): Promise<boolean>;
    /** Closes the question; the caller gets a no. */
    withdraw(): void;
}
/** Renders the current question. */
export declare function Confirm({ questions }: {
    readonly questions: Questions;
}): import("preact").JSX.Element | null;
export {};
