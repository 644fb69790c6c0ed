export interface ToastAction {
    readonly label: string;
    run(): unknown;
}
export interface Toast {
    readonly text: string;
    /** "assertive" is for failures: it interrupts screen readers, and stays until it is closed. */
    readonly level: "polite" | "assertive";
    /** Undo, or Try again. */
    readonly action?: ToastAction | undefined;
}
/** The latest message to the person, for sighted people and screen readers. There is one at a time. */
export declare class Toasts {
    readonly current: import("@preact/signals-core").Signal<Toast | undefined>;
    /** Shows a message. The returned function closes it, if it is still shown. */
    show(toast: Toast): () => void;
    close(): void;
}
/**
 * Renders the toasts, and the page's only polite and only assertive live region. It is moved into the
 * uppermost open dialog, because the rest of the page is inert then.
 */
export declare function ToastRegion({ toasts }: {
    readonly toasts: Toasts;
}): import("preact").JSX.Element;
/** Returns the focus to the element that had it, or to the screen's heading if that element is gone. */
export declare function restoreFocus(to: Element | null): void;
/** Focuses the screen's heading when the focused element is removed. */
export declare function focusHeading(): void;
