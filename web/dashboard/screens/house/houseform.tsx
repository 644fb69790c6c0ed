import { useLayoutEffect, useState } from "preact/hooks";
import { accents } from "../../../kit/accents";
import { Button } from "../../../kit/button";
import { Form, SelectField, TextField } from "../../../kit/field";
import { Mark } from "../../../kit/icons";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { theme } from "../../app/preferences";
import { replaceHouse } from "../../data/house";
import type { House } from "../../data/platform";
import type { Failed } from "../../data/resource";
import { refusalOf } from "../../shell/live";
import { SmallPrint } from "../../shell/trouble";
import { locales } from "../../words/language";
import { t } from "../../words/words";
import { manageHouse } from "../modules/permissions";
import { Preview } from "./preview";
import { w } from "./words";

/** The maximum length of a name, in characters as the server counts them. */
const longest = 80;

/** The owner of the draft; a module's id cannot contain a slash. */
const draftOwner = "admin/house";

interface HouseFormProps {
	readonly app: App;
	readonly stored: House;
}

/**
 * The typed values override the stored ones, so a field that was not touched follows other administrators.
 */
export function HouseForm({ app, stored }: HouseFormProps) {
	const drafts = app.drafts.of(draftOwner);
	const [typed, setTyped] = useState(() => (drafts.get("typed") as Partial<House> | undefined) ?? {});
	const [tried, setTried] = useState(false);
	const [busy, setBusy] = useState(false);
	const [refused, setRefused] = useState<Failed>();
	const shown = { ...stored, ...typed };
	const wanted: House = { ...shown, name: shown.name?.trim() || null };
	const dirty =
		wanted.name !== stored.name || wanted.accent !== stored.accent || wanted.language !== stored.language;
	useLayoutEffect(() => {
		app.router.dirty.value = dirty;
		return () => {
			app.router.dirty.value = false;
		};
	}, [dirty]);
	useLayoutEffect(() => drafts.set("typed", typed), [typed]);
	useLayoutEffect(
		() => () => {
			// A person who left the screen was asked about it; one whose session has ended returns to it.
			if (app.session.who.peek().is === "person") drafts.delete("typed");
		},
		[],
	);

	const change = (part: Partial<House>) => setTyped((before) => ({ ...before, ...part }));
	const tooLong = [...(wanted.name ?? "")].length > longest;
	const nameRefused = refused?.failure.status === 400;
	const save = async () => {
		setTried(true);
		if (tooLong || busy) return;
		setBusy(true);
		const answer = await replaceHouse(app.platform, wanted);
		setBusy(false);
		setRefused(answer.ok ? undefined : { failure: answer, at: new Date() });
		if (answer.ok) {
			setTyped({});
			setTried(false);
			app.data.house.take(answer.value);
			app.announce(w("saved"));
		} else if (answer.status === 401) await app.session.recheck();
	};
	const cancel = () => {
		setTyped({});
		setTried(false);
		setRefused(undefined);
	};
	return (
		<Form class="d-fields host-house-form" onSubmit={save}>
			<TextField
				label={w("name")}
				optional
				autocomplete="organization"
				value={shown.name ?? ""}
				onInput={(name) => {
					change({ name });
					if (nameRefused) setRefused(undefined);
				}}
				error={tried && tooLong ? w("tooLong") : nameRefused ? w("nameRefused") : undefined}
			/>
			<Swatches chosen={shown.accent} onChoose={(accent) => change({ accent })} />
			<Preview name={wanted.name} accent={shown.accent} />
			<SelectField
				label={w("language")}
				help={w("languageHelp")}
				value={shown.language}
				options={locales.flatMap(({ tag, name }) =>
					name === undefined ? [] : [{ value: tag, label: name, lang: tag }],
				)}
				onInput={(language) => change({ language })}
			/>
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

interface SwatchesProps {
	readonly chosen: House["accent"];
	onChoose(accent: House["accent"]): void;
}

/** The colours as they look in the person's theme, with their names. */
function Swatches({ chosen, onChoose }: SwatchesProps) {
	return (
		<fieldset class="d-field" role="radiogroup">
			<legend>{w("colour")}</legend>
			<div class="host-swatches">
				{accents.map((accent) => (
					<label key={accent} class="d-themed" data-theme={theme.value} data-accent={accent}>
						<Mark height={40} />
						{w(accent)}
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
