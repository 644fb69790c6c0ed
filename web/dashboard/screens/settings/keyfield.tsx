import type { ComponentChildren } from "preact";
import { Button } from "../../../kit/button";
import { Chip } from "../../../kit/chip";
import { CopyButton } from "../../../kit/copy";
import { Field, written } from "../../../kit/field";
import { Icon } from "../../../kit/icons";
import { Segments } from "../../../kit/switch";
import type { App } from "../../app/app";
import type { Key, Value } from "../../data/configuration";
import { labelOf, secretVariable, valueOf, wordOf } from "./values";
import { w } from "./words";

interface KeyFieldProps {
	readonly app: App;
	readonly moduleId: string;
	readonly entry: Key;
	/** undefined: its default, or no value. */
	readonly value: Value | undefined;
	/** Why it is invalid or incomplete. */
	readonly error: string | undefined;
	/** The value that somebody else has stored meanwhile, if both changed it. */
	readonly theirs: { readonly value: Value | undefined } | undefined;
	onInput(value: Value | undefined): void;
	onYield(): void;
}

/** One key: its name and type, its control, and the way back to the default. */
export function KeyField(props: KeyFieldProps) {
	const { entry, value, theirs, onInput, onYield } = props;
	const { key, type, required } = entry;
	const canReset = value !== undefined && type !== "boolean" && (!required || entry.default !== undefined);
	return (
		<section class="host-key">
			<div id={`about-${key}`}>
				<h2>
					<bdi>{labelOf(entry)}</bdi>
					{required && (
						<span class="host-needed" title={w("required")}>
							{" *"}
						</span>
					)}
				</h2>
				<p class="d-second">
					<bdi dir="ltr" translate={false} class="d-code">
						{key}
					</bdi>
					{", "}
					{kindOf(entry)}
				</p>
				{entry.description !== undefined && (
					<p class="d-second" dir="auto">
						{entry.description}
					</p>
				)}
			</div>
			<div>
				<Control {...props} />
				{theirs && (
					<p class="d-row host-theirs">
						{theirs.value === undefined ? w("theirsNone") : w("theirs", { value: shown(entry, theirs.value) })}
						<Button kind="text" small label={w("takeTheirsOf", { key: labelOf(entry) })} onPress={onYield}>
							{w("takeTheirs")}
						</Button>
					</p>
				)}
			</div>
			{canReset && (
				<Button
					kind="quiet"
					label={w("useDefaultOf", { key: labelOf(entry) })}
					onPress={() => onInput(undefined)}
				>
					{w("useDefault")}
				</Button>
			)}
		</section>
	);
}

/** A value in a readable form. */
export function shown(entry: Key, value: Value): string {
	if (typeof value === "boolean") return value ? w("on") : w("off");
	return entry.type === "enum" ? wordOf(entry, String(value)) : String(value);
}

function kindOf({ type, constraints }: Key): string {
	const { minLength, maxLength, minimum, maximum, values = [] } = constraints;
	if (type === "string" || type === "url") {
		if (type === "url" || (minLength === undefined && maxLength === undefined)) return w(type);
		if (maxLength === undefined) return w("stringAtLeast", { min: minLength ?? 0 });
		if (minLength === undefined) return w("stringTo", { max: maxLength });
		return w("stringFrom", { min: minLength, max: maxLength });
	}
	if (type === "integer") {
		if (minimum !== undefined && maximum !== undefined)
			return w("integerFrom", { min: minimum, max: maximum });
		if (minimum !== undefined) return w("integerAtLeast", { min: minimum });
		return maximum === undefined ? w("integer") : w("integerTo", { max: maximum });
	}
	if (type === "enum") return w("enum", { count: values.length });
	return w(type === "boolean" ? "boolean" : "secret");
}

function Control(props: KeyFieldProps) {
	switch (props.entry.type) {
		case "boolean":
			return <YesOrNo {...props} />;
		case "enum":
			return <Choice {...props} />;
		case "secret":
			return <Secret {...props} />;
		default:
			return <Typed {...props} />;
	}
}

/** A text, an address or a number. Without a value it shows its default. */
function Typed({ entry, value, error, onInput }: KeyFieldProps) {
	const { key, type } = entry;
	const integer = type === "integer";
	const wire = type !== "string";
	const text = String(value ?? entry.default ?? "");
	return (
		<Field
			label={labelOf(entry)}
			hideLabel
			error={error}
			control={(control) => (
				<div class="d-row host-typed">
					<input
						{...control}
						data-key={key}
						class={integer ? "host-figure" : undefined}
						aria-describedby={`about-${key} ${control["aria-describedby"] ?? ""}`.trim()}
						aria-required={entry.required}
						dir={wire ? "ltr" : written(text)}
						inputmode={integer ? "numeric" : type === "url" ? "url" : undefined}
						autocomplete="off"
						spellcheck={wire ? false : undefined}
						value={text}
						onInput={(event) => onInput(valueOf(entry, event.currentTarget.value))}
					/>
					{entry.default !== undefined && entry.default !== "" && (
						<span class="d-second">{w("isDefault", { value: String(entry.default) })}</span>
					)}
				</div>
			)}
		/>
	);
}

/**
 * Three choices, because the default is not the same as the equal value: an upgrade may change the default.
 */
function YesOrNo({ entry, value, error, onInput }: KeyFieldProps) {
	const { key } = entry;
	const byDefault =
		entry.default === undefined ? "byDefault" : entry.default === true ? "byDefaultOn" : "byDefaultOff";
	return (
		<div data-key={key} tabIndex={-1}>
			<Segments
				name={`key-${key}`}
				label={labelOf(entry)}
				chosen={value === undefined ? "default" : String(value)}
				onChoose={(id) => onInput(id === "default" ? undefined : id === "true")}
				segments={[
					{ id: "default", label: w(byDefault) },
					{ id: "true", label: w("on") },
					{ id: "false", label: w("off") },
				]}
			/>
			<Wrong words={error} />
		</div>
	);
}

function Choice({ entry, value, error, onInput }: KeyFieldProps) {
	const { key, constraints } = entry;
	const { values = [] } = constraints;
	const chosen = value ?? entry.default;
	const hint = entry.default !== undefined && (
		<span class="d-second">{w("isDefault", { value: wordOf(entry, String(entry.default)) })}</span>
	);
	if (values.length > 4) {
		return (
			<Field
				label={labelOf(entry)}
				hideLabel
				error={error}
				control={(control) => (
					<div class="d-row host-typed">
						<select
							{...control}
							data-key={key}
							aria-required={entry.required}
							value={String(chosen ?? "")}
							onChange={(event) => onInput(event.currentTarget.value)}
						>
							{chosen === undefined && <option value="">{w("choose")}</option>}
							{values.map((word) => (
								<option key={word} value={word}>
									{wordOf(entry, word)}
								</option>
							))}
						</select>
						{hint}
					</div>
				)}
			/>
		);
	}
	return (
		<div data-key={key} tabIndex={-1}>
			<fieldset class="d-row" aria-required={undefined}>
				<legend class="d-unseen">{labelOf(entry)}</legend>
				{values.map((word) => (
					<label key={word} class="d-choice">
						<input
							type="radio"
							name={`key-${key}`}
							checked={chosen === word}
							onChange={() => onInput(word)}
						/>
						<bdi>{wordOf(entry, word)}</bdi>
					</label>
				))}
				{hint}
			</fieldset>
			<Wrong words={error} />
		</div>
	);
}

function Wrong({ words }: { readonly words: ComponentChildren }) {
	if (words === undefined) return null;
	return (
		<p class="d-wrong">
			<Icon name="alert" size={16} />
			{words}
		</p>
	);
}

/** A secret is set by the operator. This shows whether it is set, and the name of its variable. */
function Secret({ app, moduleId, entry }: KeyFieldProps) {
	const variable = secretVariable(moduleId, entry.key);
	return (
		<div data-key={entry.key} tabIndex={-1} role="group" aria-label={labelOf(entry)}>
			{entry.configured ? (
				<Chip tone="ok" door="lit">
					{w("secretSet")}
				</Chip>
			) : (
				<Chip tone={entry.required ? "bad" : "plain"} door="barred">
					{w("secretUnset")}
				</Chip>
			)}
			<p class="d-second">{w(entry.configured ? "operatorHasSet" : "operatorSets")}</p>
			<div class="d-row">
				<bdi dir="ltr" translate={false} class="d-code">
					{variable}
				</bdi>
				<CopyButton text={variable} label={w("copyVariable")} toasts={app.toasts} />
			</div>
		</div>
	);
}
