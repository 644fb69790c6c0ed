import { SelectField, TextField } from "@narthex/kit";
import { ClockField } from "./clockfield";
import { plusMonths, weekdayOf } from "./days";
import { monthlyChoices, type Repeat, sentenceOf, weekdayName } from "./repeat";
import type { Tools } from "./tools";

interface RepeatFieldsProps {
	readonly tools: Tools;
	readonly repeat: Repeat;
	/** The day on which the event begins. */
	readonly start: string;
	readonly error: string | undefined;
	onChange(repeat: Repeat): void;
}

const units = ["", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;

/** The repetition of an event, as fields and as one sentence. */
export function RepeatFields({ tools, repeat, start, error, onChange }: RepeatFieldsProps) {
	const { say } = tools;
	const { unit, weekdays, ends } = repeat;
	const set = (part: Partial<Repeat>) => onChange({ ...repeat, ...part });
	const choose = (value: string) => {
		const chosen = value as Repeat["unit"];
		set({
			unit: chosen,
			...(chosen === "WEEKLY" && weekdays.length === 0 ? { weekdays: [weekdayOf(start)] } : {}),
		});
	};
	const kinds = units.map((value) => ({
		value: value as string,
		label: say(`unit_${value === "" ? "ONCE" : value}`),
	}));
	if (unit === "OTHER") kinds.push({ value: "OTHER", label: say("otherRule") });
	return (
		<fieldset class="repeat">
			<legend class="d-unseen">{say("repeats")}</legend>
			<div class="pair">
				<SelectField label={say("repeats")} value={unit} options={kinds} onInput={choose} />
				{unit !== "" && unit !== "OTHER" && (
					<SelectField
						label={say("interval")}
						value={String(repeat.every)}
						options={Array.from({ length: Math.max(12, repeat.every) }, (_, at) => ({
							value: String(at + 1),
							label: say(at === 0 ? `each_${unit}` : `nth_${unit}`, { count: at + 1 }),
						}))}
						onInput={(every) => set({ every: Number(every) })}
					/>
				)}
			</div>
			{unit === "WEEKLY" && (
				<fieldset class="d-field">
					<legend>{say("weekdays")}</legend>
					<div class="weekdays">
						{Array.from({ length: 7 }, (_, weekday) => (
							<label class="d-choice" key={weekday}>
								<input
									type="checkbox"
									checked={weekdays.includes(weekday)}
									onChange={({ currentTarget: { checked } }) =>
										set({
											weekdays: checked ? [...weekdays, weekday] : weekdays.filter((one) => one !== weekday),
										})
									}
								/>
								{weekdayName(tools, weekday)}
							</label>
						))}
					</div>
				</fieldset>
			)}
			{unit === "MONTHLY" && (
				<SelectField
					label={say("monthlyOn")}
					value={repeat.monthly}
					options={monthlyChoices(tools, start)}
					onInput={(monthly) => set({ monthly: monthly as Repeat["monthly"] })}
				/>
			)}
			{unit !== "" && unit !== "OTHER" && (
				<div class="pair">
					<SelectField
						label={say("until")}
						value={ends}
						options={(["never", "on", "after"] as const).map((value) => ({
							value,
							label: say(`ends_${value}`),
						}))}
						onInput={(value) =>
							set({
								ends: value as Repeat["ends"],
								until: repeat.until === "" ? plusMonths(start, 6) : repeat.until,
							})
						}
					/>
					{ends === "on" && (
						<ClockField
							{...{ tools, error, allDay: true, label: say("lastDate"), value: repeat.until }}
							onInput={(until) => set({ until: until.slice(0, until.indexOf("T")) })}
						/>
					)}
					{ends === "after" && (
						<TextField
							label={say("times")}
							type="number"
							value={String(repeat.count)}
							onInput={(count) => set({ count: Math.min(1000, Math.max(1, Math.round(Number(count)) || 1)) })}
						/>
					)}
				</div>
			)}
			{unit !== "" && <p class="sentence">{sentenceOf(tools, repeat, start)}</p>}
		</fieldset>
	);
}
