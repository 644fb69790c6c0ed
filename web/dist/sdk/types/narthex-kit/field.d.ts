import type { ComponentChildren, InputHTMLAttributes, RefObject } from "preact";
/** What ties a control to its label, its help and its error. */
export interface ControlProps {
    readonly id: string;
    readonly "aria-invalid": boolean;
    readonly "aria-describedby": string | undefined;
}
export interface FieldProps {
    readonly label: string;
    readonly optional?: boolean;
    /** Where a heading beside the field says it already. */
    readonly hideLabel?: boolean;
    readonly help?: string | undefined;
    /** What is wrong with the value, which stays. */
    readonly error?: string | undefined;
}
interface FieldFrameProps extends FieldProps {
    control(props: ControlProps): ComponentChildren;
}
/** A label, a control, and below it the help or what is wrong. */
export declare function Field({ label, optional, hideLabel, help, error, control }: FieldFrameProps): import("preact").JSX.Element;
export interface TextFieldProps extends FieldProps {
    readonly value: string;
    onInput(value: string): void;
    readonly name?: string;
    readonly type?: "text" | "email" | "url" | "search" | "number";
    readonly autocomplete?: InputHTMLAttributes["autocomplete"];
    readonly required?: boolean;
    readonly maxLength?: number;
    /** More than one line. */
    readonly lines?: number;
    /** It is shown, and what it holds cannot be changed here. */
    readonly readOnly?: boolean;
    /** "ltr" for codes and addresses; what people write finds its own direction. */
    readonly dir?: "ltr" | "auto";
    readonly inputRef?: RefObject<HTMLInputElement | null>;
}
/** The direction of a field that people write into: its text's own. While it is empty, the page's. */
export declare const written: (value: string) => "auto" | undefined;
export declare function TextField(props: TextFieldProps): import("preact").JSX.Element;
export interface PasswordFieldProps extends FieldProps {
    readonly value: string;
    onInput(value: string): void;
    readonly autocomplete: "current-password" | "new-password";
    readonly inputRef?: RefObject<HTMLInputElement | null>;
}
/** A password that can be looked at. */
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
/** What takes effect with Save. */
export declare function Checkbox({ label, checked, onChange }: CheckboxProps): import("preact").JSX.Element;
export interface MomentFieldProps extends FieldProps {
    /** In this browser's zone, as "YYYY-MM-DDTHH:mm"; "" for none. */
    readonly value: string;
    /** Something ends then: without a time, at the end of the day. Else the day begins it. */
    readonly ending?: boolean;
    onInput(value: string): void;
}
/** A day and a time of this browser's zone, which is named. */
export declare function MomentField(props: MomentFieldProps): import("preact").JSX.Element;
/** The zone of this browser in words: "Berlin, UTC+2". */
export declare function zoneOf(at: Date): string;
export interface CodeInputProps extends FieldProps {
    /** Digits alone. */
    readonly value: string;
    onInput(digits: string): void;
}
/**
 * Six digits in one field, as somebody reads them off a screen: spaces and hyphens are dropped, pasting
 * works.
 */
export declare function CodeInput(props: CodeInputProps): import("preact").JSX.Element;
export interface FormProps {
    readonly class?: string;
    onSubmit(): unknown;
    readonly children: ComponentChildren;
}
/**
 * A form that its own code checks, not the browser. After a refusal the first field that is wrong has the
 * focus; where no field is, the alert in the form is scrolled into view.
 */
export declare function Form({ class: name, onSubmit, children }: FormProps): import("preact").JSX.Element;
/** Puts the focus into the first field that is wrong, or shows the alert of the form where no field is. */
export declare function focusFirstError(form: HTMLElement): void;
export {};
