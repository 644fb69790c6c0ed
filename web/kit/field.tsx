import type { ComponentChildren, InputHTMLAttributes, RefObject } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "./icons";
import { k } from "./words";

/** What ties a control to its label, its help and its error. */
export interface ControlProps {
	readonly id: string;
	readonly "aria-invalid": boolean;
	readonly "aria-describedby": string | undefined;
}

export interface FieldProps {
	readonly label: string;
	readonly optional?: boolean;
	/** Where a heading beside the field says it already. */
	readonly hideLabel?: boolean;
	readonly help?: string | undefined;
	/** What is wrong with the value, which stays. */
	readonly error?: string | undefined;
}

interface FieldFrameProps extends FieldProps {
	control(props: ControlProps): ComponentChildren;
}

/** A label, a control, and below it the help or what is wrong. */
export function Field({ label, optional, hideLabel, help, error, control }: FieldFrameProps) {
	const id = useId();
	const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(
		Boolean,
	);
	return (
		<div class="field">
			<label for={id} class={hideLabel ? "unseen" : undefined}>
				{label}
				{optional && <span class="optional"> {k("optional")}</span>}
			</label>
			{control({
				id,
				"aria-invalid": error !== undefined,
				"aria-describedby": described.join(" ") || undefined,
			})}
			<FieldNotes id={id} help={help} error={error} />
		</div>
	);
}

interface FieldNotesProps {
	readonly id: string;
	readonly help: string | undefined;
	readonly error: string | undefined;
}

function FieldNotes({ id, help, error }: FieldNotesProps) {
	return (
		<>
			{help !== undefined && (
				<p id={`${id}-help`} class="help">
					{help}
				</p>
			)}
			{error !== undefined && (
				<p id={`${id}-error`} class="wrong">
					<Icon name="alert" size={16} />
					{error}
				</p>
			)}
		</>
	);
}

export interface TextFieldProps extends FieldProps {
	readonly value: string;
	onInput(value: string): void;
	readonly name?: string;
	readonly type?: "text" | "email" | "url" | "search" | "number";
	readonly autocomplete?: InputHTMLAttributes["autocomplete"];
	readonly required?: boolean;
	readonly maxLength?: number;
	/** More than one line. */
	readonly lines?: number;
	/** It is shown, and what it holds cannot be changed here. */
	readonly readOnly?: boolean;
	/** "ltr" for codes and addresses; what people write finds its own direction. */
	readonly dir?: "ltr" | "auto";
	readonly inputRef?: RefObject<HTMLInputElement | null>;
}

/** The direction of a field that people write into: its text's own. While it is empty, the page's. */
export const written = (value: string): "auto" | undefined => (value === "" ? undefined : "auto");

export function TextField(props: TextFieldProps) {
	const {
		value,
		onInput,
		name,
		type = "text",
		autocomplete,
		required,
		maxLength,
		lines,
		readOnly,
		dir = "auto",
		inputRef,
	} = props;
	const direction = dir === "auto" ? written(value) : dir;
	const shared = { name, value, required, maxLength, readOnly, dir: direction };
	return (
		<Field
			{...props}
			control={(control) =>
				lines !== undefined ? (
					<textarea
						{...shared}
						{...control}
						rows={lines}
						onInput={(event) => onInput(event.currentTarget.value)}
					/>
				) : (
					<input
						{...shared}
						{...control}
						ref={inputRef ?? null}
						type={type as "text"}
						autocomplete={autocomplete}
						autocapitalize={dir === "ltr" ? "none" : undefined}
						spellcheck={dir === "ltr" ? false : undefined}
						onInput={(event) => onInput(event.currentTarget.value)}
					/>
				)
			}
		/>
	);
}

export interface PasswordFieldProps extends FieldProps {
	readonly value: string;
	onInput(value: string): void;
	readonly autocomplete: "current-password" | "new-password";
	readonly inputRef?: RefObject<HTMLInputElement | null>;
}

/** A password that can be looked at. */
export function PasswordField(props: PasswordFieldProps) {
	const { value, onInput, autocomplete, inputRef } = props;
	const [open, setOpen] = useState(false);
	return (
		<Field
			{...props}
			control={(control) => (
				<div class="reveal" dir="ltr">
					<input
						{...control}
						ref={inputRef ?? null}
						type={(open ? "text" : "password") as "password"}
						name={autocomplete}
						dir="ltr"
						autocomplete={autocomplete}
						autocapitalize="none"
						spellcheck={false}
						required
						value={value}
						onInput={(event) => onInput(event.currentTarget.value)}
					/>
					<button
						type="button"
						class="text"
						aria-label={open ? k("hidePassword") : k("showPassword")}
						onClick={() => setOpen(!open)}
					>
						{open ? k("hide") : k("show")}
					</button>
				</div>
			)}
		/>
	);
}

export interface SelectFieldProps extends FieldProps {
	readonly value: string;
	readonly options: readonly { readonly value: string; readonly label: string; readonly lang?: string }[];
	onInput(value: string): void;
}

export function SelectField(props: SelectFieldProps) {
	return (
		<Field
			{...props}
			control={(control) => (
				<select
					{...control}
					value={props.value}
					onChange={(event) => props.onInput(event.currentTarget.value)}
				>
					{props.options.map(({ value, label, lang }) => (
						<option key={value} value={value} lang={lang}>
							{label}
						</option>
					))}
				</select>
			)}
		/>
	);
}

export interface CheckboxProps {
	readonly label: string;
	readonly checked: boolean;
	onChange(checked: boolean): void;
}

/** What takes effect with Save. */
export function Checkbox({ label, checked, onChange }: CheckboxProps) {
	return (
		<label class="choice">
			<input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
			{label}
		</label>
	);
}

export interface MomentFieldProps extends FieldProps {
	/** In this browser's zone, as "YYYY-MM-DDTHH:mm"; "" for none. */
	readonly value: string;
	/** Something ends then: without a time, at the end of the day. Else the day begins it. */
	readonly ending?: boolean;
	onInput(value: string): void;
}

/** A day and a time of this browser's zone, which is named. */
export function MomentField(props: MomentFieldProps) {
	const { label, optional, ending, help, error, value, onInput } = props;
	const id = useId();
	const [date = "", time = ""] = value.split("T");
	const whole = ending ? "23:59" : "00:00"; // until a time is chosen the whole day counts
	const zone = k("zone", { zone: zoneOf(date === "" ? new Date() : new Date(value)) });
	const control = {
		"aria-invalid": error !== undefined,
		"aria-describedby": error === undefined ? `${id}-help` : `${id}-help ${id}-error`,
	};
	return (
		<fieldset class="field">
			<legend>
				{label}
				{optional && <span class="optional"> {k("optional")}</span>}
			</legend>
			<div class="moment">
				<input
					{...control}
					type="date"
					aria-label={`${label}: ${k("date")}`}
					value={date}
					onInput={({ currentTarget: { value: day } }) =>
						onInput(day === "" ? "" : `${day}T${time || whole}`)
					}
				/>
				<input
					{...control}
					type="time"
					aria-label={`${label}: ${k("time")}`}
					value={time}
					disabled={date === ""}
					onInput={(event) => onInput(`${date}T${event.currentTarget.value || whole}`)}
				/>
			</div>
			<FieldNotes id={id} help={help === undefined ? zone : `${help} ${zone}`} error={error} />
		</fieldset>
	);
}

/** The zone of this browser in words: "Berlin, UTC+2". */
export function zoneOf(at: Date): string {
	const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
	const minutes = -(Number.isNaN(at.getTime()) ? new Date() : at).getTimezoneOffset();
	const hours = Math.trunc(Math.abs(minutes) / 60);
	const rest = Math.abs(minutes) % 60;
	const offset =
		minutes === 0 ? "" : `${minutes < 0 ? "\u2212" : "+"}${hours}${rest === 0 ? "" : `:${rest}`}`;
	const city = name.slice(name.lastIndexOf("/") + 1).replaceAll("_", " ");
	return city === "UTC" ? city : `${city}, UTC${offset}`;
}

export interface CodeInputProps extends FieldProps {
	/** Digits alone. */
	readonly value: string;
	onInput(digits: string): void;
}

/**
 * Six digits in one field, as somebody reads them off a screen: spaces and hyphens are dropped, pasting
 * works.
 */
export function CodeInput(props: CodeInputProps) {
	const shown = props.value.length > 3 ? `${props.value.slice(0, 3)} ${props.value.slice(3)}` : props.value;
	return (
		<Field
			{...props}
			control={(control) => (
				<input
					{...control}
					class="code-input"
					dir="ltr"
					inputmode="numeric"
					autocomplete="off"
					value={shown}
					onInput={(event) => {
						const digits = event.currentTarget.value.replace(/\D/g, "").slice(0, 6);
						event.currentTarget.value = digits;
						props.onInput(digits);
					}}
				/>
			)}
		/>
	);
}

export interface FormProps {
	readonly class?: string;
	onSubmit(): unknown;
	readonly children: ComponentChildren;
}

/**
 * A form that its own code checks, not the browser. After a refusal the first field that is wrong has the
 * focus; where no field is, the alert in the form is scrolled into view.
 */
export function Form({ class: name = "fields", onSubmit, children }: FormProps) {
	return (
		<form
			class={name}
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				const form = event.currentTarget;
				void Promise.resolve(onSubmit()).then(() => focusFirstError(form));
			}}
		>
			{children}
		</form>
	);
}

/** Puts the focus into the first field that is wrong, or shows the alert of the form where no field is. */
export function focusFirstError(form: HTMLElement): void {
	requestAnimationFrame(() => {
		const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
		if (field) field.focus();
		else form.querySelector("[role=alert]")?.scrollIntoView({ block: "center" });
	});
}
