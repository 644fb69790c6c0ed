import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Dialog } from "../../../kit/dialog";
import { Form, TextField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import { nameError } from "../../../kit/names";
import type { App } from "../../app/app";
import { addPasskey, type Passkey } from "../../data/passkeys";
import type { Failure } from "../../data/request";
import { t } from "../../words/words";
import { w } from "./words";

interface AddPasskeyProps {
	readonly app: App;
	/** Called with a failure that this dialog has no words for. */
	refused(failure: Failure, again: () => void): Promise<void> | void;
	onClose(): void;
	onAdded(passkey: Passkey): void;
}

/** Asks for a name, then lets the browser make a passkey. */
export function AddPasskey({ app, refused, onClose, onAdded }: AddPasskeyProps) {
	const [label, setLabel] = useState(w("myDevice"));
	const [wrong, setWrong] = useState<string>();
	const name = label.trim();
	const nameWrong = name === "" ? w("passkeyNeedsName") : nameError(name, 80);
	const make = async (): Promise<void> => {
		if (nameWrong !== undefined) return;
		setWrong(undefined);
		try {
			const answer = await addPasskey(app.platform, name);
			if (answer.ok) return onAdded(answer.value);
			const words = wordsOf(answer);
			if (words !== undefined) return setWrong(words);
			onClose();
			await refused(answer, make);
		} catch (error) {
			setWrong(w((error as DOMException).name === "InvalidStateError" ? "alreadyHere" : "cancelled"));
		}
	};
	return (
		<Dialog
			title={w("addPasskey")}
			onClose={onClose}
			footer={
				<>
					<Button onPress={onClose}>{t("cancel")}</Button>
					<Button kind="primary" submit>
						{w("addPasskey")}
					</Button>
				</>
			}
		>
			<Form onSubmit={make}>
				<p>{w("addHelp")}</p>
				{wrong && (
					<Note tone="bad" role="alert">
						<p>{wrong}</p>
					</Note>
				)}
				<TextField label={w("passkeyName")} value={label} maxLength={80} onInput={setLabel} error={nameWrong} />
			</Form>
		</Dialog>
	);
}

function wordsOf({ code }: Failure): string | undefined {
	switch (code) {
		case "SECOND_FACTOR_LIMIT":
			return w("tenPasskeys");
		case "SECOND_FACTOR_UNAVAILABLE":
			return w("noName");
		case "SECOND_FACTOR_INVALID":
			return w("notAccepted");
		default:
			return undefined;
	}
}
