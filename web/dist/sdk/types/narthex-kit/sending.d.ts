import { type Signal } from "@preact/signals";
import { type RefObject } from "preact";
/**
 * The sending of a form. A dialog shares it with its form, because the dialog's buttons are outside of that.
 */
export interface Sending {
    readonly form: RefObject<HTMLFormElement | null>;
    /** What was submitted is being sent, and further submissions are ignored. */
    readonly busy: Signal<boolean>;
}
export declare const FormSending: import("preact").Context<Sending | undefined>;
export declare const useSending: () => Sending;
