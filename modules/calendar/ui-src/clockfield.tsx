import { Field } from "@narthex/kit";
import type { Tools } from "./tools";

interface ClockFieldProps {
	readonly tools: Tools;
	readonly label: string;
	/** On the house's clock, "YYYY-MM-DDTHH:mm"; shorter where a part is missing. */
	readonly value: string;
	readonly allDay: boolean;
	readonly error: string | undefined;
	onInput(value: string): void;
}

/** A day and a time of the house's clock, whatever this browser's zone is; of whole days the day alone. */
export function ClockField({ tools: { say }, label, value, allDay, error, onInput }: ClockFieldProps) {
	const [date = "", time = ""] = value.split("T");
	return (
		<Field
			label={label}
			error={error}
			control={(control) => (
				<div class={allDay ? undefined : "moment"}>
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
