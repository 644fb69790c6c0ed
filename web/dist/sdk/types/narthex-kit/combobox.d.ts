import { type ComponentChildren } from "preact";
import { type FieldProps } from "./field";
export interface ComboboxOption {
    readonly id: string;
    readonly label: string;
    /** What tells it from another of the same name. */
    readonly detail?: string;
    /** Its code, below its name. */
    readonly code?: string;
    /** The heading that it stands below, with others beside it. */
    readonly group?: string;
}
export interface ComboboxProps extends FieldProps {
    readonly options: readonly ComboboxOption[];
    readonly chosen: string | undefined;
    /** Said in the empty field, where the label is not shown. */
    readonly hint?: string;
    /** Hears what is typed, for options that are found elsewhere. */
    onType?(text: string): void;
    onChoose(id: string | undefined): void;
}
/** A field that finds one of many. Down opens, Enter takes, Escape closes and then clears. */
export declare function Combobox(props: ComboboxProps): import("preact").JSX.Element;
/** A label with the part that was searched for marked. The query is in small letters. */
export declare function marked(label: string, query: string): ComponentChildren;
