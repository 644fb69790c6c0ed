import { Checkbox, Field, TextField, TimeInput } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { type Draft, type Problems, screensOf } from "./slide";
import { type Tools, weekdayName } from "./tools";

interface OnlyFieldsProps {
	readonly tools: Tools;
	readonly draft: Draft;
	readonly problems: Problems;
	onChange(part: Partial<Draft>): void;
}

/** On which weekdays, from which to which time and on which screens alone a slide is shown. */
export function OnlyFields({ tools, draft, problems, onChange }: OnlyFieldsProps) {
	const { api, context, say } = tools;
	const { weekdays, from, until, screens } = draft;
	const named = screensOf(screens);
	const [others, setOthers] = useState<readonly string[]>([]);
	const suggest = async () => {
		const result = await api.list();
		if (context.signal.aborted || !result.ok) return;
		const names = result.value.slides.flatMap(({ only }) => only?.screens ?? []);
		setOthers(withoutRepeats(names).sort(new Intl.Collator(context.locale).compare));
	};
	useEffect(() => void suggest(), []);
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
			{others.length > 0 && (
				<fieldset class="d-field">
					<legend>{say("screensOfOthers")}</legend>
					<div class="weekdays">
						{others.map((name) => (
							<Checkbox
								key={name}
								label={name}
								checked={named.some((one) => isSame(one, name))}
								onChange={(chosen) => onChange({ screens: withName(named, name, chosen).join(", ") })}
							/>
						))}
					</div>
				</fieldset>
			)}
		</>
	);
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const withoutRepeats = (names: readonly string[]): string[] =>
	names.filter((name, n) => names.findIndex((other) => isSame(name, other)) === n);

const withName = (names: readonly string[], name: string, chosen: boolean): readonly string[] =>
	chosen ? [...names, name] : names.filter((one) => !isSame(one, name));
