export interface ClockInputProps {
    readonly id?: string;
    readonly "aria-label"?: string;
    readonly "aria-invalid"?: boolean;
    readonly "aria-describedby"?: string | undefined;
    /** "YYYY-MM-DD" for a date, "HH:mm" for a time, "" for none, and "?" while it is incomplete. */
    readonly value: string;
    onInput(value: string): void;
    readonly min?: string;
    readonly disabled?: boolean;
}
/** A native date field. It reports an incomplete date, which browsers present as an empty one. */
export declare const DateInput: (props: ClockInputProps) => import("preact").JSX.Element;
/** A native time field. It reports an incomplete time, which browsers present as an empty one. */
export declare const TimeInput: (props: ClockInputProps) => import("preact").JSX.Element;
/**
 * What is wrong with a value of these fields, or of both with a T in between: it is incomplete, or the clock
 * skips it. Never send such a value.
 */
export declare function clockError(value: string): string | undefined;
