import { type ComponentChildren } from "preact";
import { type FieldProps } from "./field";
export interface ComboboxOption {
    readonly id: string;
    readonly label: string;
    /** Distinguishes the option from another one of the same name. */
    readonly detail?: string;
    /** The option's code, shown below its name. */
    readonly code?: string;
    /** The heading of the option's group. */
    readonly group?: string;
}
export interface ComboboxProps extends FieldProps {
    readonly options: readonly ComboboxOption[];
    readonly chosen: string | undefined;
    /** The placeholder, if the label is not shown. */
    readonly hint?: string;
    /** Whether the list is shown at once: the field is the only one of its dialog. */
    readonly expanded?: boolean;
    /** Called with the typed text, for a caller that searches the options elsewhere. */
    onType?(text: string): void;
    onChoose(id: string | undefined): void;
}
/**
 * A field for choosing one of many options. Down opens the list, Enter chooses, Escape first closes the list
 * and then clears the field.
 */
export declare function Combobox(props: ComboboxProps): import("preact").JSX.Element;
/** A label in which the part that was searched for is marked. */
export declare function marked(label: string, query: string): ComponentChildren;
