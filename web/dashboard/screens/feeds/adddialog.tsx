import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Dialog } from "../../../kit/dialog";
import { Form, SelectField, TextField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import { nameError } from "../../../kit/names";
import type { App } from "../../app/app";
import { makeFeed, type Offer } from "../../data/feeds";
import type { Failure } from "../../data/request";
import { t } from "../../words/words";
import type { Shown } from "./addressdialog";
import { failureWords, kindOf, titleOf } from "./feed";
import { w } from "./words";

interface AddDialogProps {
	readonly app: App;
	/** At least one, in the order shown. */
	readonly offers: readonly Offer[];
	onClose(): void;
	/** Called with the address, once it is made. */
	onMade(shown: Shown): void;
}

/** Asks what an address is for, and makes it. */
export function AddDialog({ app, offers, onClose, onMade }: AddDialogProps) {
	const [at, setAt] = useState("0");
	const house = offers[0]?.house === true;
	const [label, setLabel] = useState(w(house ? "website" : "myPhone"));
	const [refused, setRefused] = useState<Failure>();
	const name = label.trim();
	const wrong = name === "" ? w("nameNeeded") : nameError(name, 80);
	const make = async () => {
		const offer = offers[Number(at)];
		if (wrong !== undefined || offer === undefined) return;
		const answer = await makeFeed(app.platform, offer, name);
		setRefused(answer.ok ? undefined : answer);
		if (answer.ok) onMade({ label: name, url: answer.value.url, kind: kindOf(offer) });
	};
	return (
		<Dialog
			title={w(house ? "addHouseTitle" : "addTitle")}
			onClose={onClose}
			footer={
				<>
					<Button onPress={onClose}>{t("cancel")}</Button>
					<Button kind="primary" submit>
						{w("make")}
					</Button>
				</>
			}
		>
			<Form onSubmit={make}>
				{house && <p>{w("addHouseHelp")}</p>}
				{refused && (
					<Note tone="bad" role="alert">
						{failureWords(refused)}
					</Note>
				)}
				<SelectField
					label={w("what")}
					value={at}
					onInput={setAt}
					options={offers.map((offer, n) => ({ value: String(n), label: titleOf(app, offer) }))}
				/>
				<TextField label={w("name")} value={label} maxLength={80} onInput={setLabel} error={wrong} />
			</Form>
		</Dialog>
	);
}
