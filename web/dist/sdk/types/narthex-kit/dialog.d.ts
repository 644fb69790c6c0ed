import type { ComponentChildren, RefObject } from "preact";
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
export declare const openDialogs: import("@preact/signals-core").Signal<readonly HTMLDialogElement[]>;
/** Shows a dialog over the page as long as it is rendered. The focus returns where it was. */
export declare function useModal(dialog: RefObject<HTMLDialogElement | null>): void;
/** A dialog over the page, as long as it is rendered. */
export declare function Dialog({ title, size, footer, onClose, children }: DialogProps): import("preact").JSX.Element;
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
export declare class Questions {
    readonly current: import("@preact/signals-core").Signal<Asked | undefined>;
    ask(question: Question): Promise<boolean>;
    /** Takes the question back: the caller gets a no. */
    withdraw(): void;
}
/** Where the questions are asked. */
export declare function Confirm({ questions }: {
    readonly questions: Questions;
}): import("preact").JSX.Element | null;
export {};
