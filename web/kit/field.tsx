import type { ComponentChildren, InputHTMLAttributes, RefObject } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { clockError, DateInput, TimeInput } from "./clockinput";
import { instantOf, zoneOf } from "./house";
import { Icon } from "./icons";
import { FormSending, useSending } from "./sending";
import { k } from "./words";

/** The attributes that connect a control with its label, its help text and its error. */
export interface ControlProps {
	readonly id: string;
	readonly "aria-invalid": boolean;
	readonly "aria-describedby": string | undefined;
}

export interface FieldProps {
	readonly label: string;
	readonly optional?: boolean;
	/** For a field whose label is visible in a heading beside it. */
	readonly hideLabel?: boolean;
	readonly help?: string | undefined;
	/** The error about the value. The value itself is kept. */
	readonly error?: string | undefined;
}

interface FieldFrameProps extends FieldProps {
	control(props: ControlProps): ComponentChildren;
}

/** A label, a control, and below it the help text or the error. */
export function Field({ label, optional, hideLabel, help, error, control }: FieldFrameProps) {
	const id = useId();
	const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(
		Boolean,
	);
	return (
		<div class="d-field">
			<label for={id} class={hideLabel ? "d-unseen" : undefined}>
				{label}
				{optional && <span class="d-optional"> {k("optional")}</span>}
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
				<p id={`${id}-help`} class="d-help">
					{help}
				</p>
			)}
			{error !== undefined && (
				<p id={`${id}-error`} class="d-wrong">
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
	/** Makes it a text area with this many lines. */
	readonly lines?: number;
	/** The value is shown but cannot be changed here. */
	readonly readOnly?: boolean;
	/** "ltr" for codes and addresses; otherwise the direction follows the text. */
	readonly dir?: "ltr" | "auto";
	readonly inputRef?: RefObject<HTMLInputElement | null>;
}

/** The direction of a field for free text: that of its text, or that of the page while it is empty. */
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

/** A password field whose text can be shown. */
export function PasswordField(props: PasswordFieldProps) {
	const { value, onInput, autocomplete, inputRef } = props;
	const [open, setOpen] = useState(false);
	return (
		<Field
			{...props}
			control={(control) => (
				<div class="d-reveal" dir="ltr">
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
						class="d-text"
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

/** A choice that takes effect with Save. */
export function Checkbox({ label, checked, onChange }: CheckboxProps) {
	return (
		<label class="d-choice">
			<input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
			{label}
		</label>
	);
}

export interface MomentFieldProps extends FieldProps {
	/**
	 * On the house's clock, as "YYYY-MM-DDTHH:mm"; "" for none. An incomplete part is "?" (clockError).
	 */
	readonly value: string;
	/** The moment is an end: without a time it is the end of the day, otherwise its beginning. */
	readonly ending?: boolean;
	onInput(value: string): void;
}

/**
 * A day and a time on the house's clock, whose zone is named. An incomplete one, and one that the clock
 * skips, is shown as an error when the focus leaves it, and at Enter. Whoever sends the value checks it with
 * clockError first.
 */
export function MomentField(props: MomentFieldProps) {
	const { label, optional, ending, help, value, onInput } = props;
	const id = useId();
	const [done, setDone] = useState(false);
	const [date = "", time = ""] = value.split("T");
	const whole = ending ? "23:59" : "00:00"; // used until a time is chosen
	const at = Date.parse(instantOf(value)) || Date.now();
	const zone = k("zone", { zone: zoneOf(new Date(at)) });
	const error = props.error ?? (done ? clockError(value) : undefined);
	const control = {
		"aria-invalid": error !== undefined,
		"aria-describedby": error === undefined ? `${id}-help` : `${id}-help ${id}-error`,
	};
	return (
		<fieldset
			class="d-field"
			onFocusOut={({ currentTarget, relatedTarget }) =>
				setDone(!currentTarget.contains(relatedTarget as Node | null))
			}
			onKeyDown={({ key }) => key === "Enter" && setDone(true)}
		>
			<legend>
				{label}
				{optional && <span class="d-optional"> {k("optional")}</span>}
			</legend>
			<div class="d-moment">
				<DateInput
					{...control}
					aria-label={`${label}: ${k("date")}`}
					value={date}
					onInput={(day) => onInput(day === "" ? "" : `${day}T${time || whole}`)}
				/>
				<TimeInput
					{...control}
					aria-label={`${label}: ${k("time")}`}
					value={time}
					disabled={date === ""}
					onInput={(clock) => onInput(`${date}T${clock || whole}`)}
				/>
			</div>
			<FieldNotes id={id} help={help === undefined ? zone : `${help} ${zone}`} error={error} />
		</fieldset>
	);
}

export interface CodeInputProps extends FieldProps {
	/** Only digits. */
	readonly value: string;
	onInput(digits: string): void;
}

/** A field for six digits that are read off a screen. Spaces and hyphens are ignored, also when pasted. */
export function CodeInput(props: CodeInputProps) {
	const shown = props.value.length > 3 ? `${props.value.slice(0, 3)} ${props.value.slice(3)}` : props.value;
	return (
		<Field
			{...props}
			control={(control) => (
				<input
					{...control}
					class="d-code-input"
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
 * A form that its own code validates instead of the browser. After a failed validation the first invalid
 * field gets the focus; if there is none, the alert in the form is scrolled into view. It is submitted by
 * Enter and by the buttons with submit in it, or in the footer of its dialog. Until the promise that onSubmit
 * returns settles, these are busy, and nothing is submitted again.
 */
export function Form({ class: name = "d-fields", onSubmit, children }: FormProps) {
	const own = useSending();
	const sending = useContext(FormSending) ?? own;
	const submit = async (form: HTMLFormElement) => {
		sending.busy.value = true;
		const before = document.activeElement;
		try {
			await onSubmit();
		} finally {
			sending.busy.value = false;
		}
		focusFirstError(form, before);
	};
	return (
		<FormSending.Provider value={sending}>
			<form
				ref={sending.form}
				class={name}
				noValidate
				onSubmit={(event) => {
					event.preventDefault();
					if (!sending.busy.peek()) void submit(event.currentTarget);
				}}
			>
				{children}
			</form>
		</FormSending.Provider>
	);
}

/**
 * Focuses the first invalid field, or scrolls to the alert of the form if there is none. A focus that has
 * left before stays, because the form has something more important to say.
 */
export function focusFirstError(form: HTMLElement, before = document.activeElement): void {
	requestAnimationFrame(() => {
		const now = document.activeElement;
		if (now !== before && now !== document.body) return;
		const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
		if (field) field.focus();
		else form.querySelector("[role=alert]")?.scrollIntoView({ block: "center" });
	});
}
