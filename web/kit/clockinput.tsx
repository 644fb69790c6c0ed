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

/** What is wrong with a value of these fields: it is incomplete. Never send such a value. */
export const clockError = (value: string): string | undefined =>
	value.includes(incomplete) ? k("incomplete") : undefined;

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
