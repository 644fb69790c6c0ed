import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { clockError } from "../../../kit/clockinput";
import { Combobox, type ComboboxOption } from "../../../kit/combobox";
import { Dialog } from "../../../kit/dialog";
import { DraftNote, mayClose, useDraft } from "../../../kit/draft";
import { Form, MomentField } from "../../../kit/field";
import { instantOf } from "../../../kit/house";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { nameAndAddress, usePeople } from "../../app/people";
import {
	alreadyGranted,
	type GrantFilter,
	type GrantList,
	issueGrant,
	type Permission,
	readGrants,
} from "../../data/grants";
import type { Failure } from "../../data/request";
import { refusalOf } from "../../shell/refusal";
import { moment } from "../../words/times";
import { t } from "../../words/words";
import { manageGrants } from "../modules/permissions";
import { ownEnd, permissionOption, personOption } from "./people";
import { w } from "./words";

interface GiveDialogProps {
	readonly app: App;
	readonly permissions: readonly Permission[];
	/** Preselected, because the person probably means what the list shows. */
	readonly filter: GrantFilter;
	readonly known: GrantList | undefined;
	onClose(): void;
	onGiven(): void;
}

interface Grant {
	readonly userId: string | undefined;
	readonly permissionId: string | undefined;
	readonly end: string;
}

interface Faults {
	readonly person?: string;
	readonly permission?: string;
	readonly end?: string;
	readonly whole?: string;
}

/** Gives one person one permission, with or without an end. */
export function GiveDialog({ app, permissions, filter, known, onClose, onGiven }: GiveDialogProps) {
	const [typed, setTyped] = useState<string>();
	const draft = useDraft<Grant>(app.drafts.of("admin/permissions"), "grant", {
		userId: filter.userId,
		permissionId: filter.permissionId,
		end: "",
	});
	const { userId, permissionId, end } = draft.value;
	const [faults, setFaults] = useState<Faults>({});
	const [held, setHeld] = useState<GrantList>();
	const found = usePeople(app, typed ?? "");
	const everybody = [...found, ...(known?.people.values() ?? [])];
	const people = [...new Map(everybody.map((person) => [person.userId, person])).values()];
	const person = people.find((one) => one.userId === userId);

	const choose = (id: string | undefined) => {
		draft.set({ ...draft.value, userId: id });
		setHeld(undefined);
		if (id === undefined) return;
		void readGrants(app.platform, { userId: id }, 1).then((answer) => {
			if (answer.ok) setHeld(answer.value);
		});
	};
	const give = async () => {
		const unclear = clockError(end);
		const expiresAt = end === "" || unclear !== undefined ? null : instantOf(end);
		const wrong: Faults = {
			...(userId === undefined && { person: w("choosePerson") }),
			...(permissionId === undefined && { permission: w("choosePermission") }),
			...(unclear !== undefined && { end: unclear }),
			...(expiresAt !== null && expiresAt <= new Date(app.clock.now()).toISOString() && { end: w("past") }),
		};
		setFaults(wrong);
		if (userId === undefined || permissionId === undefined || wrong.end !== undefined) return;
		const answer = await issueGrant(app.platform, { userId, permissionId, expiresAt });
		const refused = answer.ok ? undefined : await faultOf(app, answer);
		if (refused !== undefined) return setFaults(refused);
		app.announce(w("given"));
		draft.discard();
		onGiven();
		onClose();
	};
	const cancel = async () => {
		if (await mayClose(draft, (question) => app.questions.ask(question))) onClose();
	};
	return (
		<Dialog
			title={w("givePermission")}
			size="medium"
			onClose={cancel}
			footer={
				<>
					{person && permissionId !== undefined && (
						<span class="d-effect d-second">{w("effect", { name: nameAndAddress(person) || person.userId })}</span>
					)}
					<Button onPress={cancel}>{t("cancel")}</Button>
					<Button kind="primary" submit>
						{w("give")}
					</Button>
				</>
			}
		>
			<Form onSubmit={give}>
				<DraftNote draft={draft} />
				{faults.whole !== undefined && (
					<Note tone="bad" role="alert">
						{faults.whole}
					</Note>
				)}
				<Combobox
					label={w("person")}
					help={w("pasteHelp")}
					options={people.map(personOption)}
					chosen={userId}
					error={faults.person}
					onType={setTyped}
					onChoose={choose}
				/>
				<Combobox
					label={w("permission")}
					options={optionsOf(permissions, held)}
					chosen={permissionId}
					error={faults.permission}
					onChoose={(id) => draft.set({ ...draft.value, permissionId: id })}
				/>
				<MomentField
					label={w("ends")}
					optional
					ending
					help={w("endHelp")}
					value={end}
					onInput={(until) => draft.set({ ...draft.value, end: until })}
					error={faults.end}
				/>
			</Form>
		</Dialog>
	);
}

/** The permissions for people, by module. Those that the person has already are marked. */
function optionsOf(permissions: readonly Permission[], held: GrantList | undefined): ComboboxOption[] {
	return permissions.filter(({ display }) => display !== true).map((permission) => {
		const option = permissionOption(permission);
		const has = held?.grants.find(({ permissionId }) => permissionId === permission.id);
		if (has === undefined) return option;
		const { expiresAt } = has;
		return { ...option, detail: expiresAt === null ? w("has") : w("hasUntil", { time: moment(expiresAt) }) };
	});
}

async function faultOf(app: App, failure: Failure): Promise<Faults> {
	if (alreadyGranted(failure)) return { whole: w("alreadyHas") };
	if (failure.code === "USER_NOT_FOUND") return { person: w("nobody") };
	if (failure.code === "PERMISSION_UNKNOWN") return { permission: w("unknown") };
	if (failure.status === 400) return { end: w("past") };
	if (failure.status === 403) {
		const until = await ownEnd(app);
		if (until !== null) return { end: w("outlives", { time: moment(until) }) };
	}
	return { whole: refusalOf(failure, manageGrants) };
}
