import { Checkbox, Field, TextField, TimeInput } from "@narthex/kit";
import type { Draft, Problems } from "./slide";
import { type Tools, weekdayName } from "./tools";

interface OnlyFieldsProps {
	readonly tools: Tools;
	readonly draft: Draft;
	readonly problems: Problems;
	onChange(part: Partial<Draft>): void;
}

/** On which weekdays, from which to which time and on which screens alone a slide is shown. */
export function OnlyFields({ tools, draft, problems, onChange }: OnlyFieldsProps) {
	const { say } = tools;
	const { weekdays, from, until, screens } = draft;
	const choose = (weekday: number, chosen: boolean) =>
		onChange({ weekdays: chosen ? [...weekdays, weekday] : weekdays.filter((one) => one !== weekday) });
	return (
		<>
			<fieldset class="d-field">
				<legend>{say("onlyWeekdays")}</legend>
				<div class="weekdays">
					{[1, 2, 3, 4, 5, 6, 7].map((weekday) => (
						<Checkbox
							key={weekday}
							label={weekdayName(tools, weekday)}
							checked={weekdays.includes(weekday)}
							onChange={(chosen) => choose(weekday, chosen)}
						/>
					))}
				</div>
			</fieldset>
			<Field
				label={say("onlyFrom")}
				optional
				help={say("onlyHoursHelp")}
				error={problems.hours && say(problems.hours)}
				control={(control) => (
					<div class="d-moment">
						<TimeInput {...control} value={from} onInput={(from) => onChange({ from })} />
						<TimeInput
							aria-label={say("onlyUntil")}
							aria-invalid={control["aria-invalid"]}
							value={until}
							onInput={(until) => onChange({ until })}
						/>
					</div>
				)}
			/>
			<TextField
				label={say("onlyScreens")}
				optional
				help={say("onlyScreensHelp")}
				maxLength={400}
				value={screens}
				onInput={(screens) => onChange({ screens })}
			/>
		</>
	);
}
