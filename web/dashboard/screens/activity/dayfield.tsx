import { useState } from "preact/hooks";
import { clockError, DateInput } from "../../../kit/clockinput";
import { Field } from "../../../kit/field";

interface DayFieldProps {
	readonly label: string;
	/** As "YYYY-MM-DD". */
	readonly chosen: string | undefined;
	onChoose(day: string | undefined): void;
}

/** A field for one day. While its text is incomplete, the day that was chosen before counts. */
export function DayField({ label, chosen, onChoose }: DayFieldProps) {
	const [unclear, setUnclear] = useState("");
	const [left, setLeft] = useState(false);
	return (
		<div onFocusIn={() => setLeft(false)} onFocusOut={() => setLeft(true)}>
			<Field
				label={label}
				error={left ? clockError(unclear) : undefined}
				control={(control) => (
					<DateInput
						{...control}
						value={unclear || (chosen ?? "")}
						onInput={(day) => {
							const whole = clockError(day) === undefined;
							setUnclear(whole ? "" : day);
							if (whole) onChoose(day === "" ? undefined : day);
						}}
					/>
				)}
			/>
		</div>
	);
}
