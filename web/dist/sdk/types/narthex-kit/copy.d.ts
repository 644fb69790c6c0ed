import type { Toasts } from "./toast";
export interface CopyButtonProps {
    readonly text: string;
    /** What is copied: "Copy my ID". */
    readonly label: string;
    readonly toasts: Toasts;
}
/** Copies, and says whether that worked. */
export declare function CopyButton({ text, label, toasts }: CopyButtonProps): import("preact").JSX.Element;
