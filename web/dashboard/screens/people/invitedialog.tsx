import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { clockError } from "../../../kit/clockinput";
import { Dialog } from "../../../kit/dialog";
import { DraftNote, mayClose, useDraft } from "../../../kit/draft";
import { Form, MomentField, TextField } from "../../../kit/field";
import { FileButton } from "../../../kit/filebutton";
import { instantOf } from "../../../kit/house";
import { Icon } from "../../../kit/icons";
import { Note } from "../../../kit/layout";
import { Status } from "../../../kit/status";
import type { App } from "../../app/app";
import { house } from "../../app/house";
import { loadInviteFile } from "../../app/invitefile";
import { readPermissions } from "../../data/grants";
import { inviteMany, type InviteOutcome } from "../../data/people";
import { refusalOf } from "../../shell/refusal";
import { useLaterPart } from "../../shell/laterpart";
import { Loaded, useResource } from "../../shell/loaded";
import { moment } from "../../words/times";
import { locale, t } from "../../words/words";
import { holds, manageGrants, managePeople } from "../modules/permissions";
import { ownEnd } from "../permissions/people";
import { type Addressee, addressesIn, type Unread } from "./addresses";
import { PermissionPicker } from "./permissionpicker";
import { w } from "./words";

/** So many people are invited with one request, so that the progress shows. The server accepts 500. */
const atOnce = 50;

/** The server accepts at most this many permissions with an invitation. */
const maxGrants = 32;

interface InviteDialogProps {
	readonly app: App;
	onClose(): void;
	/** Called after an invitation, because the list has changed. */
	onInvited(): void;
}

interface Invitation {
	/** As typed. */
	readonly list: string;
	readonly permissionIds: readonly string[];
	readonly end: string;
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
	readonly whole?: string;
}

/** Invites one or more people with the same permissions. Refused addresses stay in the field. */
export function InviteDialog({ app, onClose, onInvited }: InviteDialogProps) {
	const mayGive = holds(app, manageGrants);
	const draft = useDraft<Invitation>(app.drafts.of("admin/people"), "invite", {
		...{ list: "", permissionIds: [], end: "" },
	});
	const { list, end } = draft.value;
	const chosen = new Set(draft.value.permissionIds);
	const change = (part: Partial<Invitation>) => draft.set((before) => ({ ...before, ...part }));
	const [faults, setFaults] = useState<Faults>({});
	const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
	const [progress, setProgress] = useState<{ readonly done: number; readonly count: number }>();
	const busy = progress !== undefined;
	const form = useRef<HTMLDivElement>(null);
	const [file, setFile] = useState<File>();
	const Table = useLaterPart(loadInviteFile, file !== undefined);
	const { found, wrong: unread } = addressesIn(list);

	const send = async () => {
		const unclear = chosen.size > 0 ? clockError(end) : undefined; // without a permission, its end is not asked
		const expiresAt =
			end === "" || chosen.size === 0 || unclear !== undefined ? undefined : instantOf(end);
		const wrong = {
			...faultsOf(found.length, chosen.size, expiresAt, new Date(app.clock.now()).toISOString()),
			...(unclear !== undefined && { end: unclear }),
		};
		setFaults(wrong);
		setOutcomes([]);
		if (Object.keys(wrong).length > 0) return;
		setProgress({ done: 0, count: found.length });
		const grants = [...chosen].map((permissionId) => ({ permissionId, ...(expiresAt && { expiresAt }) }));
		const done: Outcome[] = [];
		const stays = unread.map(({ text }) => text);
		let left = found;
		while (left.length > 0) {
			const answer = await inviteMany(app.platform, left.slice(0, atOnce), grants);
			if (!answer.ok) {
				const unknown = answer.code === "PERMISSION_UNKNOWN";
				setFaults({ whole: unknown ? w("resultPermission") : refusalOf(answer, managePeople) });
				if (answer.status === 401) await app.session.recheck();
				break;
			}
			const until =
				answer.value.some(({ code }) => code === "PERMISSION_DENIED") && grants.length > 0
					? await ownEnd(app)
					: null;
			for (const [at, outcome] of answer.value.entries()) {
				const to = left[at];
				if (outcome.invitation === null && outcome.code !== "PERSON_ALREADY_EXISTS" && to)
					stays.push(written(to));
				done.push({ email: outcome.email, ok: outcome.invitation !== null, words: wordsOf(outcome, until) });
			}
			left = left.slice(atOnce);
			// After each request, so that an end of the session, or of the page, repeats nothing and loses nothing.
			change({ list: [...stays, ...left.map(written)].join("\n") });
			setOutcomes([...done]);
			setProgress({ done: done.length, count: found.length });
		}
		setProgress(undefined);
		if (left.length + stays.length === 0) draft.begin({ list: "", permissionIds: [...chosen], end });
		const count = done.filter(({ ok }) => ok).length;
		if (count > 0) onInvited();
		if (count === found.length && stays.length === 0) {
			app.announce(w("invitedCount", { count }));
			draft.discard();
			onClose();
		}
	};
	/** Nothing is lost: it waits for what is under way, and asks about what was typed. */
	const leave = async () => {
		if (busy) return app.announce(w("stillInviting"));
		const words = list.trim() === "" ? {} : { title: w("discardTitle"), body: [w("discardBody")] };
		if (await mayClose(draft, (question) => app.questions.ask({ ...question, ...words }))) onClose();
	};
	return (
		<Dialog
			title={w("invitePeople")}
			size="large"
			onClose={leave}
			footer={
				<>
					<span class="d-effect d-second host-mails">{w("mailIn", { language: languageOfMails() })}</span>
					<Button disabled={busy} onPress={leave}>
						{outcomes.length > 0 && !busy ? t("close") : t("cancel")}
					</Button>
					<Button kind="primary" submit busyWords={w("inviting")}>
						{found.length === 0 ? w("inviteNobody") : w("inviteCount", { count: found.length })}
					</Button>
				</>
			}
		>
			<div ref={form}>
				<Form class="d-fields host-invite" onSubmit={send}>
					<DraftNote draft={draft} />
					<TextField
						label={w("addresses")}
						help={w("addressesHelp")}
						lines={2}
						dir="ltr"
						value={list}
						onInput={(typed) => change({ list: typed })}
						error={faults.addresses}
					/>
					<div>
						<FileButton accept=".csv,.tsv,.txt,.xlsx" onFiles={([chosenFile]) => setFile(chosenFile)}>
							{w("addressesFile")}
						</FileButton>
					</div>
					{file && Table && (
						<Table
							file={file}
							onPeople={(people) => {
								change({ list: [list.trim(), ...people.map(written)].filter((line) => line !== "").join("\n") });
								setFile(undefined);
							}}
							onClose={() => setFile(undefined)}
						/>
					)}
					<Unreadable unread={unread} ready={found.length} form={form} />
					{faults.whole !== undefined && (
						<Note tone="bad" role="alert">
							{faults.whole}
						</Note>
					)}
					{progress && (
						<div>
							<Status>{w("invitedOf", { done: progress.done, count: progress.count })}</Status>
							<progress
								aria-label={w("inviting")}
								value={progress.done}
								max={progress.count}
								style={{ inlineSize: "100%" }}
							/>
						</div>
					)}
					<Outcomes outcomes={outcomes} />
					{mayGive ? (
						<Permissions
							app={app}
							chosen={chosen}
							error={faults.grants}
							onChange={(ids) => change({ permissionIds: [...ids] })}
						/>
					) : (
						<Note>{w("mayDoLater")}</Note>
					)}
					{chosen.size > 0 && (
						<MomentField
							label={w("ends")}
							optional
							help={w("endsHelp")}
							value={end}
							onInput={(until) => change({ end: until })}
							error={faults.end}
						/>
					)}
				</Form>
			</div>
		</Dialog>
	);
}

interface UnreadableProps {
	readonly unread: readonly Unread[];
	readonly ready: number;
	readonly form: RefObject<HTMLDivElement | null>;
}

/** What of the list cannot be read. Each entry leads to its place. */
function Unreadable({ unread, ready, form }: UnreadableProps) {
	if (unread.length === 0) return null;
	const show = ({ start, text }: Unread) => {
		const field = form.current?.querySelector("textarea");
		field?.focus();
		field?.setSelectionRange(start, start + text.length);
	};
	return (
		<Note tone="warn">
			<p>
				{w("unread", { count: unread.length })} {ready > 0 && w("othersReady", { count: ready })}
			</p>
			<ul aria-label={w("unread", { count: unread.length })}>
				{unread.slice(0, 20).map((one) => (
					<li key={one.start}>
						<Button kind="text" onPress={() => show(one)}>
							{w("unreadLine", { line: one.line, text: one.text })}
						</Button>
					</li>
				))}
			</ul>
		</Note>
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
		<div class="host-picker-room">
			<Loaded resource={resource} permission={manageGrants} part>
				{(known) => (
					<PermissionPicker
						permissions={known.filter(({ baseline, display }) => baseline === "restricted" && !display)}
						{...picker}
					/>
				)}
			</Loaded>
		</div>
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

function faultsOf(found: number, grants: number, expiresAt: string | undefined, now: string): Faults {
	return {
		...(found === 0 && { addresses: w("addressesNeeded") }),
		...(grants > maxGrants && { grants: w("tooManyGrants", { count: maxGrants }) }),
		...(expiresAt !== undefined && expiresAt <= now && { end: w("past") }),
	};
}

/** What became of one address. until is the end of the caller's own right to give permissions. */
function wordsOf({ code, replaced }: InviteOutcome, until: string | null): string {
	switch (code) {
		case null:
			return w(replaced ? "resultAgain" : "resultInvited");
		case "PERSON_ALREADY_EXISTS":
			return w("resultExists");
		case "TOO_MANY_REQUESTS":
			return w("resultTooOften");
		case "PERMISSION_UNKNOWN":
			return w("resultPermission");
		case "REQUEST_INVALID":
			return w("resultAddress");
		case "PERMISSION_DENIED":
			return until === null ? refusalOf({ ok: false, status: 403, code }, managePeople) : outlives(until);
		default:
			return w("resultLater");
	}
}

const outlives = (until: string): string => w("outlives", { time: moment(until) });

const languageOfMails = (): string =>
	new Intl.DisplayNames(locale.value.tag, { type: "language" }).of(house.value?.language ?? "en") ?? "";
