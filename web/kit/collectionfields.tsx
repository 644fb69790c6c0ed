import { clockError, DateInput } from "./clockinput";
import type { CollectionField, CollectionFields, CollectionLabel } from "./collection";
import { c } from "./collectionwords";
import { Checkbox, Field, SelectField, TextField } from "./field";
import { kitLocale } from "./words";

/** What is typed, by field. */
export type Typed = Readonly<Record<string, string | boolean>>;

export type Labels = Readonly<Record<string, string | CollectionLabel>>;

const defaultMax = { text: 200, lines: 4000 };

export function labelOf(labels: Labels, name: string): CollectionLabel {
	const given = labels[name] ?? name;
	return typeof given === "string" ? { label: given } : given;
}

/** What the form of a new row begins with. */
export const freshValues = (fields: CollectionFields): Typed =>
	mapped(fields, (field) => field.initial ?? typedOf(field, undefined));

/** What the form of a row begins with. */
export const valuesOf = (fields: CollectionFields, row: object): Typed =>
	mapped(fields, (field, name) => typedOf(field, (row as Readonly<Record<string, unknown>>)[name]));

/** The columns of what is typed. */
export const bodyOf = (fields: CollectionFields, values: Typed): object =>
	mapped(fields, (field, name) => columnOf(field, values[name] ?? ""));

function mapped<Value>(
	fields: CollectionFields,
	map: (field: CollectionField, name: string) => Value,
): Readonly<Record<string, Value>> {
	return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(field, name)]));
}

function typedOf(field: CollectionField, column: unknown): string | boolean {
	if (field.type === "switch") return column === true;
	if (field.type === "choice" && column === undefined && !field.optional) return field.of[0] ?? "";
	if (Array.isArray(column)) return column.join(", ");
	return column === null || column === undefined ? "" : String(column);
}

function columnOf(field: CollectionField, typed: string | boolean): unknown {
	if (typeof typed === "boolean") return typed;
	const text = typed.trim();
	switch (field.type) {
		case "tags":
			return text.split(/[,\n]/).flatMap((tag) => tag.trim() || []);
		case "number":
			return text === "" ? null : Number(text);
		case "text":
		case "lines":
			return text === "" && field.nullable ? null : text;
		default:
			return text === "" ? null : text;
	}
}

/** What is wrong with what is typed; undefined: nothing. */
export function problemOf(field: CollectionField, typed: string | boolean): string | undefined {
	if (typeof typed === "boolean") return undefined;
	const text = typed.trim();
	if (text === "") return field.optional ? undefined : c("needed");
	if (field.type === "date") return clockError(text);
	if (field.type === "text" || field.type === "lines") {
		const most = field.max ?? defaultMax[field.type];
		return [...text].length > most ? c("tooLong", { count: most }) : undefined;
	}
	if (field.type !== "number") return undefined;
	const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, fraction } = field;
	const number = Number(text);
	if (Number.isNaN(number)) return c("noNumber");
	if (!fraction && !Number.isInteger(number)) return c("noWhole");
	if (number < min) return c("atLeast", { min });
	return number > max ? c("atMost", { max }) : undefined;
}

/** What is typed, as people read it. */
export function shown(field: CollectionField, typed: string | boolean, { options }: CollectionLabel): string {
	if (typeof typed === "boolean") return c(typed ? "yes" : "no");
	if (typed === "") return "";
	if (field.type === "choice") return options?.[typed] ?? typed;
	if (field.type === "number") return new Intl.NumberFormat(kitLocale.value).format(Number(typed));
	if (field.type !== "date" || clockError(typed)) return typed;
	const form = new Intl.DateTimeFormat(kitLocale.value, { dateStyle: "medium", timeZone: "UTC" });
	return form.format(new Date(`${typed}T12:00Z`));
}

/** The short fields of a row but the first one, in one line. */
export function secondLine(fields: CollectionFields, labels: Labels, values: Typed): string {
	const parts = Object.entries(fields).slice(1).map(([name, field]) => {
		const value = values[name] ?? "";
		const label = labelOf(labels, name);
		if (field.type === "lines") return "";
		if (typeof value === "boolean") return value ? label.label : "";
		const text = shown(field, value, label);
		return field.type === "number" && text !== "" ? `${label.label}: ${text}` : text;
	});
	return parts.filter((part) => part !== "").join(" · ");
}

interface InputProps {
	readonly field: CollectionField;
	readonly words: CollectionLabel;
	readonly value: string | boolean;
	readonly error: string | undefined;
	onInput(value: string | boolean): void;
}

/** The input of one field. */
export function Input({ field, words: { label, help, options }, value, error, onInput }: InputProps) {
	const { optional = false } = field;
	const shared = { label, optional, help, error, value: typeof value === "string" ? value : "", onInput };
	if (field.input) return field.input(shared);
	switch (field.type) {
		case "switch":
			return <Checkbox label={label} checked={value === true} onChange={onInput} />;
		case "lines":
			return <TextField {...shared} required={!optional} lines={field.rows ?? 4} />;
		case "number":
			return <TextField {...shared} required={!optional} type="number" />;
		case "date": {
			const { value: day } = shared;
			return (
				<Field {...shared} control={(control) => <DateInput {...control} value={day} onInput={onInput} />} />
			);
		}
		case "choice": {
			const choices = field.of.map((one) => ({ value: one, label: options?.[one] ?? one }));
			const all = optional ? [{ value: "", label: "–" }, ...choices] : choices;
			return <SelectField {...shared} options={all} />;
		}
		case "tags":
			return <TextField {...shared} help={help ?? c("tagsHelp")} required={!optional} />;
		case "text":
			return <TextField {...shared} required={!optional} maxLength={field.max ?? defaultMax.text} />;
	}
}
