import { Field } from "@narthex/kit";
import type { Tools } from "./tools";

interface ClockFieldProps {
	readonly tools: Tools;
	readonly label: string;
	/** Local time of the house, "YYYY-MM-DDTHH:mm"; shorter while a part is missing. */
	readonly value: string;
	readonly allDay: boolean;
	readonly error: string | undefined;
	onInput(value: string): void;
}

/**
 * Fields for a day and a time in the house's zone, whatever this browser's zone is; only a day for whole
 * days.
 */
export function ClockField({ tools: { say }, label, value, allDay, error, onInput }: ClockFieldProps) {
	const [date = "", time = ""] = value.split("T");
	return (
		<Field
			label={label}
			error={error}
			control={(control) => (
				<div class={allDay ? undefined : "d-moment"}>
					<input
						{...control}
						type="date"
						value={date}
						onInput={({ currentTarget }) => onInput(`${currentTarget.value}T${time}`)}
					/>
					{!allDay && (
						<input
							aria-label={say("timeOf", { what: label })}
							aria-invalid={control["aria-invalid"]}
							type="time"
							value={time}
							onInput={({ currentTarget }) => onInput(`${date}T${currentTarget.value}`)}
						/>
					)}
				</div>
			)}
		/>
	);
}
