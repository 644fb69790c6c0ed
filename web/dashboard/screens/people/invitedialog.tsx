import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { clockError } from "../../../kit/clockinput";
import { Dialog } from "../../../kit/dialog";
import { focusFirstError, Form, MomentField, TextField } from "../../../kit/field";
import { Icon } from "../../../kit/icons";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { house } from "../../app/house";
import { readPermissions } from "../../data/grants";
import { invite } from "../../data/people";
import type { Failure } from "../../data/request";
import { Loaded, refusalOf, useResource } from "../../shell/live";
import { locale, t } from "../../words/words";
import { holds, manageGrants, managePeople } from "../modules/permissions";
import { type Addressee, addressesIn } from "./addresses";
import { PermissionPicker } from "./permissionpicker";
import { w } from "./words";

/** The server accepts at most this many permissions with an invitation. */
const maxGrants = 32;

interface InviteDialogProps {
	readonly app: App;
	/** The addresses whose open invitation would be replaced. */
	readonly invited: ReadonlySet<string | null>;
	onClose(): void;
	/** Called after an invitation, because the list has changed. */
	onInvited(): void;
}

/** The result for one address. */
interface Outcome {
	readonly email: string;
	readonly ok: boolean;
	readonly words: string;
}

interface Faults {
	readonly addresses?: string;
	readonly grants?: string;
	readonly end?: string;
}

/** Invites one or more people with the same permissions. Refused addresses stay in the field. */
export function InviteDialog({ app, invited, onClose, onInvited }: InviteDialogProps) {
	const mayGive = holds(app, manageGrants);
	const [list, setList] = useState("");
	const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
	const [end, setEnd] = useState("");
	const [faults, setFaults] = useState<Faults>({});
	const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
	const [busy, setBusy] = useState(false);
	const closed = useRef(false);
	useEffect(() => () => void (closed.current = true), []);
	const form = useRef<HTMLDivElement>(null);
	const { found } = addressesIn(list);

	const send = async () => {
		if (busy) return;
		const unclear = chosen.size > 0 ? clockError(end) : undefined; // without a permission, its end is not asked
		const expiresAt =
			end === "" || chosen.size === 0 || unclear !== undefined ? undefined : new Date(end).toISOString();
		const wrong = {
			...faultsOf(list, chosen.size, expiresAt),
			...(unclear !== undefined && { end: unclear }),
		};
		setFaults(wrong);
		setOutcomes([]);
		if (Object.keys(wrong).length > 0) return;
		setBusy(true);
		const grants = [...chosen].map((permissionId) => ({ permissionId, ...(expiresAt && { expiresAt }) }));
		const done: Outcome[] = [];
		const left: Addressee[] = [];
		for (const to of found) {
			if (closed.current) return onInvited();
			const answer = await invite(app.platform, { ...to, grants });
			if (!answer.ok && answer.code !== "PERSON_ALREADY_EXISTS") left.push(to);
			const good = w(invited.has(to.email) ? "resultAgain" : "resultInvited");
			done.push({ email: to.email, ok: answer.ok, words: answer.ok ? good : wordsOf(answer) });
			setOutcomes([...done]);
		}
		setBusy(false);
		const count = done.filter(({ ok }) => ok).length;
		if (count > 0) onInvited();
		if (count === done.length) {
			app.announce(w("invitedCount", { count }));
			onClose();
		} else setList(left.map(written).join("\n"));
	};
	return (
		<Dialog
			title={w("invitePeople")}
			size="large"
			onClose={onClose}
			footer={
				<>
					<span class="d-effect d-second host-mails">{w("mailIn", { language: languageOfMails() })}</span>
					<Button onPress={onClose}>
						{outcomes.length > 0 && !busy ? t("close") : t("cancel")}
					</Button>
					<Button
						kind="primary"
						busy={busy}
						busyWords={w("inviting")}
						onPress={async () => {
							await send();
							if (form.current) focusFirstError(form.current);
						}}
					>
						{found.length === 0 ? w("inviteNobody") : w("inviteCount", { count: found.length })}
					</Button>
				</>
			}
		>
			<div ref={form}>
				<Form class="d-fields host-invite" onSubmit={send}>
					<TextField
						label={w("addresses")}
						help={w("addressesHelp")}
						lines={2}
						dir="ltr"
						value={list}
						onInput={setList}
						error={faults.addresses}
					/>
					<Outcomes outcomes={outcomes} />
					{mayGive ? (
						<Permissions app={app} chosen={chosen} error={faults.grants} onChange={setChosen} />
					) : (
						<Note>{w("mayDoLater")}</Note>
					)}
					{chosen.size > 0 && (
						<MomentField
							label={w("ends")}
							optional
							help={w("endsHelp")}
							value={end}
							onInput={setEnd}
							error={faults.end}
						/>
					)}
				</Form>
			</div>
		</Dialog>
	);
}

interface PermissionsProps {
	readonly app: App;
	readonly chosen: ReadonlySet<string>;
	readonly error: string | undefined;
	onChange(chosen: ReadonlySet<string>): void;
}

/** The permissions in addition to those that everybody has. */
function Permissions({ app, ...picker }: PermissionsProps) {
	const resource = useResource(app, () => readPermissions(app.platform));
	return (
		<Loaded resource={resource} permission={manageGrants} part>
			{(known) => (
				<PermissionPicker
					app={app}
					permissions={known.filter(({ baseline }) => baseline === "restricted")}
					{...picker}
				/>
			)}
		</Loaded>
	);
}

/** The result for each address, failures first. */
function Outcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
	const sorted = [...outcomes.filter(({ ok }) => !ok), ...outcomes.filter(({ ok }) => ok)];
	return (
		<div class="host-outcomes" role="status">
			{sorted.length > 0 && (
				<ul aria-label={w("results")}>
					{sorted.map(({ email, ok, words }) => (
						<li key={email} class={ok ? "d-ok" : "d-bad"}>
							<Icon name={ok ? "check" : "alert"} size={16} />
							<span>
								<bdi dir="ltr">{email}</bdi>: {words}
							</span>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}

const written = ({ email, name }: Addressee): string => (name === undefined ? email : `${name} <${email}>`);

function faultsOf(list: string, grants: number, expiresAt: string | undefined): Faults {
	const { found, wrong } = addressesIn(list);
	return {
		...(found.length === 0 && { addresses: w("addressesNeeded") }),
		...(wrong.length > 0 && { addresses: wrong.map((text) => w("noAddress", { text })).join(" ") }),
		...(grants > maxGrants && { grants: w("tooManyGrants", { count: maxGrants }) }),
		...(expiresAt !== undefined && expiresAt <= new Date().toISOString() && { end: w("past") }),
	};
}

/** What the refusal of one address means. */
function wordsOf(failure: Failure): string {
	if (failure.code === "PERSON_ALREADY_EXISTS") return w("resultExists");
	if (failure.code === "TOO_MANY_REQUESTS") return w("resultTooOften");
	if (failure.code === "PERMISSION_UNKNOWN") return w("resultPermission");
	return failure.status === 400 ? w("resultAddress") : refusalOf(failure, managePeople);
}

const languageOfMails = (): string =>
	new Intl.DisplayNames(locale.value.tag, { type: "language" }).of(house.value?.language ?? "en") ?? "";
