import { useState } from "preact/hooks";
import { accents } from "../../../kit/accents";
import { Button } from "../../../kit/button";
import { DraftNote, mayClose } from "../../../kit/draft";
import { Form, SelectField, TextField } from "../../../kit/field";
import { Mark } from "../../../kit/icons";
import { Note } from "../../../kit/layout";
import { nameError } from "../../../kit/names";
import type { App } from "../../app/app";
import { type Stored, useDocument } from "../../app/document";
import { theme } from "../../app/preferences";
import { replaceHouse } from "../../data/house";
import type { Value, Values } from "../../data/configuration";
import type { House } from "../../data/platform";
import type { Result } from "../../data/request";
import type { Failed } from "../../data/resource";
import { refusalOf } from "../../shell/refusal";
import { SmallPrint } from "../../shell/errorpage";
import { locales } from "../../words/language";
import { t } from "../../words/words";
import { manageHouse } from "../modules/permissions";
import { Preview } from "./preview";
import { Stopped } from "./stopped";
import { w } from "./words";

/** The maximum length of a name, in characters as the server counts them. */
const longest = 80;

interface HouseFormProps {
	readonly app: App;
	readonly stored: House;
}

/** The house's data. What somebody else changes meanwhile is taken over, unless it was changed here, too. */
export function HouseForm({ app, stored }: HouseFormProps) {
	const draft = useDocument(app, "admin/house", documentOf(stored));
	const [tried, setTried] = useState(false);
	const [busy, setBusy] = useState(false);
	const [refused, setRefused] = useState<Failed>();
	const shown = houseIn(draft.values, stored);

	const name = shown.name?.trim() || null;
	const wrong = nameError(name ?? "", longest);
	const nameRefused = refused?.failure.status === 400;
	const save = async () => {
		setTried(true);
		if (wrong !== undefined || busy) return;
		setBusy(true);
		const saved = await draft.save(
			async (values, rev) => {
				const wanted = houseIn(values, stored);
				const trimmed = { ...wanted, name: wanted.name?.trim() || null, rev };
				return documentIn(await replaceHouse(app.platform, trimmed));
			},
			async () => documentIn(await app.platform.house()),
		);
		setBusy(false);
		setRefused(saved.is === "failed" ? { failure: saved.failure, at: new Date() } : undefined);
		if (saved.is === "saved") {
			setTried(false);
			app.data.house.take(houseIn(saved.stored.values, { ...stored, rev: saved.stored.rev }));
			const theirs = saved.found.map((key) => w(fieldNames[key as Field])).join(", ");
			app.announce(theirs === "" ? w("saved") : w("savedBoth", { fields: theirs }));
		} else if (saved.is === "conflict") app.announce(w("meanwhile"), "assertive");
		else if (saved.failure.status === 401) await app.session.recheck();
	};
	const cancel = async () => {
		if (!(await mayClose(draft, (question) => app.questions.ask(question)))) return;
		setTried(false);
		setRefused(undefined);
	};
	return (
		<Form class="d-fields host-house-form" onSubmit={save}>
			<DraftNote draft={draft} />
			<TextField
				label={w("name")}
				optional
				autocomplete="organization"
				value={shown.name ?? ""}
				onInput={(typed) => {
					draft.set("name", typed === "" ? undefined : typed);
					if (nameRefused) setRefused(undefined);
				}}
				error={tried && wrong !== undefined ? wrong : nameRefused ? t("nameRefused") : undefined}
			/>
			<Swatches chosen={shown.accent} onChoose={(accent) => draft.set("accent", accent)} />
			<Preview name={name} accent={shown.accent} />
			<SelectField
				label={w("language")}
				help={w("languageHelp")}
				value={shown.language}
				options={locales.flatMap(({ tag, name }) =>
					name === undefined ? [] : [{ value: tag, label: name, lang: tag }],
				)}
				onInput={(language) => draft.set("language", language)}
			/>
			<SelectField
				label={w("timeZone")}
				help={w("timeZoneHelp")}
				value={shown.timeZone ?? ""}
				options={[
					{ value: "", label: w("notSet") },
					...zonesWith(shown.timeZone).map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") })),
				]}
				onInput={(zone) => draft.set("timeZone", zone === "" ? undefined : zone)}
			/>
			<SelectField
				label={w("secondFactor")}
				help={w("secondFactorHelp")}
				value={shown.secondFactor}
				options={[
					{ value: "optional", label: w("optional") },
					{ value: "administrators", label: w("administrators") },
				]}
				onInput={(factor) => draft.set("secondFactor", factor)}
			/>
			{shown.secondFactor === "administrators" && <Stopped app={app} />}
			{draft.theirs.size > 0 && (
				<Note tone="warn" role="alert">
					<p>
						<strong>{w("meanwhile")}</strong> {w("meanwhileHelp")}
					</p>
					{[...draft.theirs].map(([key, value]) => (
						<p key={key}>
							{w("theirs", { field: w(fieldNames[key as Field]), value: wordsOf(key as Field, value) })}{" "}
							<Button
								kind="text"
								label={w("takeTheirsOf", { field: w(fieldNames[key as Field]) })}
								onPress={() => draft.yield(key)}
							>
								{w("takeTheirs")}
							</Button>
						</p>
					))}
				</Note>
			)}
			{refused && !nameRefused && (
				<Note tone="bad" role="alert">
					<p>{refusalOf(refused.failure, manageHouse)}</p>
					<SmallPrint code={refused.failure.code} at={refused.at} />
				</Note>
			)}
			<div class="d-row">
				<Button kind="primary" submit busy={busy} busyWords={t("saving")}>
					{w("save")}
				</Button>
				<Button onPress={cancel}>{t("cancel")}</Button>
			</div>
		</Form>
	);
}

/** The time zones that the browser knows, and the one that is chosen. */
function zonesWith(chosen: string | null): readonly string[] {
	const known = ["UTC", ...Intl.supportedValuesOf("timeZone")];
	return [...new Set(chosen === null ? known : [...known, chosen])].sort();
}

type Field = "name" | "accent" | "language" | "timeZone" | "secondFactor";

const fieldNames = {
	name: "name", accent: "colour", language: "language", timeZone: "timeZone", secondFactor: "secondFactor",
} as const;

/** A value as the form shows it. */
function wordsOf(field: Field, value: Value | undefined): string {
	if (value === undefined) return w(field === "name" ? "noName" : "notSet");
	if (field === "accent") return w(value as House["accent"]);
	if (field === "secondFactor") return w(value as House["secondFactor"]);
	const named = field === "language" ? locales.find(({ tag }) => tag === value)?.name : undefined;
	return named ?? String(value);
}

const documentOf = ({ name, accent, language, timeZone, secondFactor, rev }: House): Stored => ({
	values: {
		...(name !== null && { name }), accent, language, ...(timeZone !== null && { timeZone }), secondFactor,
	},
	rev,
});

const documentIn = (answer: Result<House>): Result<Stored> =>
	answer.ok ? { ok: true, value: documentOf(answer.value) } : answer;

const houseIn = ({ name, accent, language, timeZone, secondFactor }: Values, { rev }: House): House => ({
	name: name === undefined ? null : String(name),
	accent: accent as House["accent"],
	language: String(language),
	timeZone: timeZone === undefined ? null : String(timeZone),
	secondFactor: secondFactor as House["secondFactor"],
	rev,
});

interface SwatchesProps {
	readonly chosen: House["accent"];
	onChoose(accent: House["accent"]): void;
}

/** The colours as they look in the person's theme, with their names. */
function Swatches({ chosen, onChoose }: SwatchesProps) {
	return (
		<fieldset class="d-field" role="radiogroup" aria-label={w("colour")}>
			<legend>
				{w("colour")} <span class="host-colour">{w(chosen)}</span>
			</legend>
			<div class="host-swatches">
				{accents.map((accent) => (
					<label
						key={accent}
						class={accent === chosen ? "d-themed host-chosen" : "d-themed"}
						data-theme={theme.value}
						data-accent={accent}
					>
						<Mark height={40} />
						<span>{w(accent)}</span>
						<input
							type="radio"
							name="accent"
							value={accent}
							checked={accent === chosen}
							onChange={() => onChoose(accent)}
						/>
					</label>
				))}
			</div>
		</fieldset>
	);
}
