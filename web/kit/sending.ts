import { type Signal, signal } from "@preact/signals";
import { createContext, createRef, type RefObject } from "preact";
import { useMemo } from "preact/hooks";

/**
 * The sending of a form. A dialog shares it with its form, because the dialog's buttons are outside of that.
 */
export interface Sending {
	readonly form: RefObject<HTMLFormElement | null>;
	/** What was submitted is being sent, and further submissions are ignored. */
	readonly busy: Signal<boolean>;
}

export const FormSending = createContext<Sending | undefined>(undefined);

export const useSending = (): Sending =>
	useMemo(() => ({ form: createRef<HTMLFormElement>(), busy: signal(false) }), []);
