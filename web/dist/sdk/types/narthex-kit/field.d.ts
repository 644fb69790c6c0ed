import type { ComponentChildren, InputHTMLAttributes, RefObject } from "preact";
/** The attributes that connect a control with its label, its help text and its error. */
export interface ControlProps {
    readonly id: string;
    readonly "aria-invalid": boolean;
    readonly "aria-describedby": string | undefined;
}
export interface FieldProps {
    readonly label: string;
    readonly optional?: boolean;
    /** For a field whose label is visible in a heading beside it. */
    readonly hideLabel?: boolean;
    readonly help?: string | undefined;
    /** The error about the value. The value itself is kept. */
    readonly error?: string | undefined;
}
interface FieldFrameProps extends FieldProps {
    control(props: ControlProps): ComponentChildren;
}
/** A label, a control, and below it the help text or the error. */
export declare function Field({ label, optional, hideLabel, help, error, control }: FieldFrameProps): import("preact").JSX.Element;
export interface TextFieldProps extends FieldProps {
    readonly value: string;
    onInput(value: string): void;
    readonly name?: string;
    readonly type?: "text" | "email" | "url" | "search" | "number";
    readonly autocomplete?: InputHTMLAttributes["autocomplete"];
    readonly required?: boolean;
    readonly maxLength?: number;
    /** Makes it a text area with this many lines. */
    readonly lines?: number;
    /** The value is shown but cannot be changed here. */
    readonly readOnly?: boolean;
    /** "ltr" for codes and addresses; otherwise the direction follows the text. */
    readonly dir?: "ltr" | "auto";
    readonly inputRef?: RefObject<HTMLInputElement | null>;
}
/** The direction of a field for free text: that of its text, or that of the page while it is empty. */
export declare const written: (value: string) => "auto" | undefined;
export declare function TextField(props: TextFieldProps): import("preact").JSX.Element;
export interface PasswordFieldProps extends FieldProps {
    readonly value: string;
    onInput(value: string): void;
    readonly autocomplete: "current-password" | "new-password";
    readonly inputRef?: RefObject<HTMLInputElement | null>;
}
/** A password field whose text can be shown. */
export declare function PasswordField(props: PasswordFieldProps): import("preact").JSX.Element;
export interface SelectFieldProps extends FieldProps {
    readonly value: string;
    readonly options: readonly {
        readonly value: string;
        readonly label: string;
        readonly lang?: string;
    }[];
    onInput(value: string): void;
}
export declare function SelectField(props: SelectFieldProps): import("preact").JSX.Element;
export interface CheckboxProps {
    readonly label: string;
    readonly checked: boolean;
    onChange(checked: boolean): void;
}
/** A choice that takes effect with Save. */
export declare function Checkbox({ label, checked, onChange }: CheckboxProps): import("preact").JSX.Element;
export interface MomentFieldProps extends FieldProps {
    /**
     * On the house's clock, as "YYYY-MM-DDTHH:mm"; "" for none. An incomplete part is "?" (clockError).
     */
    readonly value: string;
    /** The moment is an end: without a time it is the end of the day, otherwise its beginning. */
    readonly ending?: boolean;
    onInput(value: string): void;
}
/**
 * A day and a time on the house's clock, whose zone is named. An incomplete one, and one that the clock
 * skips, is shown as an error when the focus leaves it, and at Enter. Whoever sends the value checks it with
 * clockError first.
 */
export declare function MomentField(props: MomentFieldProps): import("preact").JSX.Element;
export interface CodeInputProps extends FieldProps {
    /** Only digits. */
    readonly value: string;
    onInput(digits: string): void;
}
/** A field for six digits that are read off a screen. Spaces and hyphens are ignored, also when pasted. */
export declare function CodeInput(props: CodeInputProps): import("preact").JSX.Element;
export interface FormProps {
    readonly class?: string;
    onSubmit(): unknown;
    readonly children: ComponentChildren;
}
/**
 * A form that its own code validates instead of the browser. After a failed validation the first invalid
 * field gets the focus; if there is none, the alert in the form is scrolled into view. It is submitted by
 * Enter and by the buttons with submit in it, or in the footer of its dialog. Until the promise that onSubmit
 * returns settles, these are busy, and nothing is submitted again.
 */
export declare function Form({ class: name, onSubmit, children }: FormProps): import("preact").JSX.Element;
/**
 * Focuses the first invalid field, or scrolls to the alert of the form if there is none. A focus that has
 * left before stays, because the form has something more important to say.
 */
export declare function focusFirstError(form: HTMLElement, before?: Element | null): void;
export {};
