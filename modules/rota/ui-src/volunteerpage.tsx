import {
	Button, Checkbox, DraftNote, Form, mayClose, nameError, Note, OtherVersion, ScreenHeader, TextField,
	useDraft,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Failed } from "./api";
import type { Board, Pair } from "./board";
import { Pairs } from "./pairs";
import { refusalIn, type Tools } from "./tools";
import { PerMonth } from "./wishes";

/** Limits of the module's server side. */
const maxLabel = 80;

interface Draft {
	readonly label: string;
	readonly email: string;
	readonly language: string;
	readonly digest: boolean;
	readonly roleIds: readonly string[];
	readonly perMonth: number;
	readonly pairs: readonly Pair[];
	/** The rev that the writer saw; null for a new one. */
	readonly rev: number | null;
}

const empty: Draft = {
	...{ label: "", email: "", language: "", digest: false, roleIds: [], perMonth: 0, pairs: [], rev: null },
};

interface VolunteerProps {
	readonly tools: Tools;
	readonly board: Board;
	/** None for a new one. */
	readonly id: string | undefined;
	/** Called when a new one is stored. */
	created(): void;
}

/** Edits one volunteer. Saving fails if somebody else has changed it meanwhile. */
export function VolunteerPage({ tools, board, id, created }: VolunteerProps) {
	const { context, api, say } = tools;
	const key = `volunteer/${id ?? "new"}`;
	const there = board.volunteers.find((volunteer) => volunteer.id === id);
	const stored = (): Draft => {
		if (there === undefined) return empty;
		const { label, email, language, digest, roleIds, perMonth, pairs, rev } = there;
		return { label, email, language, digest, roleIds, perMonth, pairs, rev };
	};
	const edited = useDraft(context.drafts, key, stored);
	const draft = { ...empty, ...edited.value }; // one that was kept by an earlier version has less
	const [tried, setTried] = useState(false);
	const [busy, setBusy] = useState(false);
	const [refused, setRefused] = useState<Failed>();
	useEffect(() => context.setTitle(say(id === undefined ? "addVolunteer" : "editVolunteer")), []);

	const change = (part: Partial<Draft>) => edited.set((before) => ({ ...before, ...part }));
	const leave = () => {
		edited.discard();
		context.navigate("volunteers");
	};
	const cancel = async () => {
		if (await mayClose(edited, context.confirm)) leave();
	};
	const problems = {
		label: draft.label.trim() === "" ? say("nameNeeded") : nameError(draft.label, maxLabel),
		email: isAddress(draft.email.trim())
			? draft.digest && draft.email.trim() === ""
				? say("addressNeeded")
				: undefined
			: say("addressWrong"),
	};
	const save = async (rev = draft.rev) => {
		setTried(true);
		if (busy || problems.label || problems.email) return;
		setBusy(true);
		const sent = { ...draft, rev, label: draft.label.trim(), email: draft.email.trim() };
		const result = await api.saveVolunteer(id, sent);
		if (context.signal.aborted) return;
		setBusy(false);
		setRefused(result.ok ? undefined : result);
		if (!result.ok) return;
		context.announce(say("saved"));
		if (id === undefined) created();
		leave();
	};
	const takeTheirs = () => {
		edited.begin(stored());
		setRefused(undefined);
	};
	if (id !== undefined && there === undefined) {
		return (
			<div class="d-stack">
				<Note tone="warn">
					<p>{say("gone")}</p>
				</Note>
				<Button onPress={leave}>{say("toVolunteers")}</Button>
			</div>
		);
	}
	return (
		<>
			<ScreenHeader />
			<Form onSubmit={() => save()}>
				<DraftNote draft={edited} discard={takeTheirs} />
				{refused && (
					<Note tone="bad" role="alert">
						<p>{refusalIn(tools.say, refused)}</p>
						{refused.why === "conflict" && (
							<>
								<OtherVersion fields={fieldsOf(tools, board, draft, stored())} />
								<div class="d-row">
									<Button onPress={takeTheirs}>{say("takeTheirs")}</Button>
									<Button onPress={() => save(there?.rev)}>{say("keepMine")}</Button>
								</div>
							</>
						)}
					</Note>
				)}
				<TextField
					label={say("name")}
					required
					maxLength={maxLabel}
					value={draft.label}
					error={tried ? problems.label : undefined}
					onInput={(label) => change({ label })}
				/>
				<TextField
					label={say("email")}
					optional
					type="email"
					dir="ltr"
					help={say("emailHelp")}
					value={draft.email}
					error={tried ? problems.email : undefined}
					onInput={(email) => change({ email })}
				/>
				<fieldset>
					<legend>{say("tabRoles")}</legend>
					{board.roles.length === 0 && <p class="d-muted">{say("noRoles")}</p>}
					{board.roles.map((role) => (
						<Checkbox
							key={role.id}
							label={role.name}
							checked={draft.roleIds.includes(role.id)}
							onChange={(checked) =>
								change({
									roleIds: checked
										? [...draft.roleIds, role.id]
										: draft.roleIds.filter((other) => other !== role.id),
								})
							}
						/>
					))}
				</fieldset>
				<PerMonth tools={tools} perMonth={draft.perMonth} choose={(perMonth) => change({ perMonth })} />
				{[false, true].map((apart) => (
					<Pairs
						key={`${apart}`}
						{...{ tools, board, of: id, pairs: draft.pairs, apart }}
						change={(pairs) => change({ pairs })}
					/>
				))}
				<fieldset>
					<legend>{say("mailLanguage")}</legend>
					{(["", "en", "de"] as const).map((language) => (
						<label key={language} class="d-choice">
							<input
								type="radio"
								name="language"
								checked={draft.language === language}
								onChange={() => change({ language })}
							/>
							{say(language === "" ? "languageOfAll" : `language.${language}`)}
						</label>
					))}
				</fieldset>
				<Checkbox label={say("digest")} checked={draft.digest} onChange={(digest) => change({ digest })} />
				<div class="d-row">
					<Button submit kind="primary" busy={busy} busyWords={say("saving")}>
						{say("save")}
					</Button>
					<Button onPress={cancel}>{say("cancel")}</Button>
				</div>
			</Form>
		</>
	);
}

const isAddress = (text: string): boolean => text === "" || /^[!-~]+@[!-~]+$/.test(text);

/** The fields of one's own and the other version, in words. */
function fieldsOf({ say }: Tools, board: Board, mine: Draft, theirs: Draft) {
	const inWords = ({ label, email, language, digest, roleIds, perMonth, pairs }: Draft) => {
		const withWhom = (apart: boolean) =>
			board.volunteers
				.filter(({ id }) => pairs.some((pair) => pair.id === id && pair.apart === apart))
				.map((one) => one.label)
				.join(", ");
		const roles = board.roles.filter(({ id }) => roleIds.includes(id)).map(({ name }) => name);
		return [
			[say("name"), label],
			[say("email"), email],
			[say("tabRoles"), roles.join(", ")],
			[say("perMonth"), perMonth === 0 ? say("noLimit") : say("times", { count: perMonth })],
			[say("gladlyWith"), withWhom(false)],
			[say("neverWith"), withWhom(true)],
			[say("mailLanguage"), say(language === "" ? "languageOfAll" : `language.${language as "en"}`)],
			[say("digest"), digest ? "✓" : ""],
		] as const;
	};
	const other = inWords(theirs);
	return inWords(mine).map(([label, words], at) => [label, words, other[at]?.[1] ?? ""] as const);
}
