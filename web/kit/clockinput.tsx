import { besideSkipped } from "./house";
import { k } from "./words";

/** The value of a date or time input whose text is incomplete, such as a date without a year. */
const incomplete = "?";

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
export const DateInput = (props: ClockInputProps) => <ClockInput {...props} type="date" />;

/** A native time field. It reports an incomplete time, which browsers present as an empty one. */
export const TimeInput = (props: ClockInputProps) => <ClockInput {...props} type="time" />;

/**
 * What is wrong with a value of these fields, or of both with a T in between: it is incomplete, or the clock
 * skips it. Never send such a value.
 */
export function clockError(value: string): string | undefined {
	if (value.includes(incomplete)) return k("incomplete");
	const beside = value.includes("T") ? besideSkipped(value) : undefined;
	if (!beside) return undefined;
	const [first, second] = beside;
	return k("skipped", { time: value.slice(11), first: first.slice(11), second: second.slice(11) });
}

function ClockInput({ value, onInput, ...attributes }: ClockInputProps & { readonly type: "date" | "time" }) {
	// No input event follows when an empty field becomes incomplete, so keys and leaving it count, too.
	const read = ({ currentTarget: { value: now, validity } }: { currentTarget: HTMLInputElement }) => {
		const next = validity.badInput ? incomplete : now;
		if (next !== value) onInput(next);
	};
	return (
		<input
			{...attributes}
			value={value === incomplete ? "" : value} // what the field shows already, so that its text stays
			onInput={read}
			onKeyUp={read}
			onBlur={read}
		/>
	);
}
