import { type ButtonProps } from "./button";
export interface FileButtonProps extends Pick<ButtonProps, "busy" | "busyWords" | "describedBy" | "children"> {
    /** The kinds of files, as in an input: ".csv,text/csv". */
    readonly accept?: string;
    readonly multiple?: boolean;
    /** Called with the files that were chosen, at least one. */
    onFiles(files: readonly File[]): unknown;
}
/** A button that opens the browser's dialog for files. Unlike the browser's own it has the page's words. */
export declare function FileButton({ accept, multiple, onFiles, ...button }: FileButtonProps): import("preact").JSX.Element;
