import { clockError, instantOf, localTime, MomentField, SelectField, TextField } from "@narthex/kit";
import { useState } from "preact/hooks";
import { type Countdown, maxLabel } from "./countdown";
import type { Say } from "./words";

interface FieldsProps {
	readonly countdown: Countdown;
	readonly say: Say;
	onChange(countdown: Countdown): void;
}

/** The fields of a countdown. While the time is invalid, the last valid one is kept. */
export function Fields({ countdown, say, onChange }: FieldsProps) {
	const [now, setNow] = useState(countdown);
	const [moment, setMoment] = useState(localTime(countdown.target));
	const change = (part: Partial<Countdown>) => {
		const next = { ...now, ...part };
		setNow(next);
		onChange(next);
	};
	return (
		<>
			<TextField
				label={say("labelField")}
				maxLength={maxLabel}
				value={now.label}
				onInput={(label) => change({ label })}
			/>
			<MomentField
				label={say("target")}
				value={moment}
				error={moment === "" ? say("targetNeeded") : undefined}
				onInput={(chosen) => {
					setMoment(chosen);
					if (chosen === "" || clockError(chosen) !== undefined) return;
					change({ target: instantOf(chosen) });
				}}
			/>
			<SelectField
				label={say("after")}
				value={now.after}
				options={[
					{ value: "zero", label: say("zero") },
					{ value: "hide", label: say("hide") },
				]}
				onInput={(after) => change({ after: after === "hide" ? "hide" : "zero" })}
			/>
		</>
	);
}
