import type { Toasts } from "./toast";
export interface CopyButtonProps {
    readonly text: string;
    /** The button's text: "Copy my ID". */
    readonly label: string;
    readonly toasts: Toasts;
}
/** Copies the text and reports the result in a toast. */
export declare function CopyButton({ text, label, toasts }: CopyButtonProps): import("preact").JSX.Element;
