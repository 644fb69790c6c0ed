export interface ToastAction {
    readonly label: string;
    run(): unknown;
}
export interface Toast {
    readonly text: string;
    /** "assertive" is for what did not work: it interrupts, and stays until it is closed. */
    readonly level: "polite" | "assertive";
    /** Undo, or Try again. */
    readonly action?: ToastAction | undefined;
}
/** What was said last, for everybody to see and hear. One at a time. */
export declare class Toasts {
    readonly current: import("@preact/signals-core").Signal<Toast | undefined>;
    show(toast: Toast): void;
    close(): void;
}
/**
 * The place of the toasts: the one polite and the one assertive region of the page. It stands in the
 * uppermost dialog as long as there is one, because all the rest of the page can neither be pressed nor read.
 */
export declare function ToastRegion({ toasts }: {
    readonly toasts: Toasts;
}): import("preact").JSX.Element;
/** Gives the focus back to what had it, or to the screen's heading when that is gone. */
export declare function giveBack(to: Element | null): void;
/** The screen's heading takes the focus when what had it is going. */
export declare function focusHeading(): void;
