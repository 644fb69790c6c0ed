import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Dialog } from "../../../kit/dialog";
import { Form, TextField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { nameAndAddress } from "../../app/people";
import { decide, type Member } from "../../data/people";
import type { Resource } from "../../data/resource";
import { refusalOf } from "../../shell/refusal";
import { managePeople } from "../modules/permissions";
import { refusalAbout } from "./decisions";
import { displayName } from "./displayname";
import { w } from "./words";

interface EraseDialogProps {
	readonly app: App;
	readonly member: Member;
	readonly changed: readonly Resource<unknown>[];
	onClose(): void;
}

/** Erases a person for ever, after the caller has typed the person's name. */
export function EraseDialog({ app, member, changed, onClose }: EraseDialogProps) {
	const [typed, setTyped] = useState("");
	const [wrong, setWrong] = useState(false);
	const [refused, setRefused] = useState<string>();
	const name = displayName(member);
	const person = nameAndAddress(member);
	const erase = async () => {
		const same = plain(typed) === plain(name);
		setWrong(!same);
		if (!same) return;
		const answer = await app.data.write(decide(app.platform, member.userId, "erase"), ...changed);
		if (!answer.ok) {
			return setRefused(refusalAbout(app, member, answer) ?? refusalOf(answer, managePeople));
		}
		app.announce(w("erasedNow", { name: person }));
		onClose();
	};
	return (
		<Dialog
			title={w("eraseTitle", { name: person })}
			size="medium"
			onClose={onClose}
			footer={
				<>
					<Button onPress={onClose}>{w("keep")}</Button>
					<Button kind="danger" submit>
						{w("eraseIt")}
					</Button>
				</>
			}
		>
			<p>{w("eraseGoes")}</p>
			<p>{w("eraseModules")}</p>
			<p>{w("eraseStays")}</p>
			<p>
				<strong>{w("eraseForEver")}</strong>
			</p>
			<Form onSubmit={erase}>
				{refused !== undefined && (
					<Note tone="bad" role="alert">
						{refused}
					</Note>
				)}
				<TextField
					label={w("typeName", { name })}
					value={typed}
					onInput={setTyped}
					error={wrong ? w("typeNameWrong") : undefined}
				/>
			</Form>
		</Dialog>
	);
}

/** A name in a form for comparison, without differences in Unicode composition and spaces. */
const plain = (text: string): string => text.normalize("NFC").trim().replace(/\s+/g, " ");
