import {
	Button, DraftNote, Form, mayClose, Menu, nameError, Note, OtherVersion, ScreenHeader, SelectField,
	TextField, useDraft,
} from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Failed } from "./api";
import type { Board } from "./board";
import { refusalIn, type Tools } from "./tools";

const maxRoles = 30;
const maxName = 40;

/** How many people a role can need, as choices. */
export const numbers = Array.from({ length: 21 }, (_, n) => ({ value: `${n}`, label: `${n}` }));

interface Draft {
	readonly rev: number;
	readonly roles: readonly {
		readonly key: string;
		readonly id: string | null;
		readonly name: string;
		readonly needed: number;
	}[];
}

/** The roles in their order, as one list that is saved as a whole. */
export function RolesPage({ tools, board }: { readonly tools: Tools; readonly board: Board }) {
	const { context, api, say } = tools;
	const stored = (): Draft => ({
		rev: board.rolesRev,
		roles: board.roles.map((role) => ({ key: role.id, ...role })),
	});
	const edited = useDraft<Draft | undefined>(context.drafts, "roles", undefined);
	const draft = edited.value;
	const [refused, setRefused] = useState<Failed>();
	const [tried, setTried] = useState(false);
	const [busy, setBusy] = useState(false);
	useEffect(() => context.setTitle(say("tabRoles")), []);
	const { rev, roles } = draft ?? stored(); // without a draft, changes of others are shown at once

	const list = useRef<HTMLOListElement>(null);
	const [added, setAdded] = useState("");
	useEffect(() => {
		if (added !== "") list.current?.querySelector<HTMLInputElement>(":scope > li:last-child input")?.focus();
	}, [added]);
	const add = () => {
		const key = newKey();
		change([...roles, { key, id: null, name: "", needed: 1 }]);
		setAdded(key);
	};
	const change = (next: Draft["roles"]) => edited.set({ rev, roles: next });
	const settle = () => {
		edited.discard();
		setRefused(undefined);
		setTried(false);
	};
	const cancel = async () => {
		if (await mayClose(edited, context.confirm)) settle();
	};
	const move = (at: number, by: number) => {
		const next = [...roles];
		const [moved] = next.splice(at, 1);
		if (moved) next.splice(at + by, 0, moved);
		change(next);
	};
	const remove = (gone: string, name: string) => {
		change(roles.filter(({ key }) => key !== gone));
		context.announce(say("removed", { name }));
	};
	const problem = (name: string, at: number): string | undefined => {
		if (name.trim() === "") return say("nameNeeded");
		const wrong = nameError(name, maxName);
		if (wrong !== undefined) return wrong;
		const same = (other: { name: string }) => other.name.trim().toLowerCase() === name.trim().toLowerCase();
		return roles.findIndex(same) < at ? say("roleTwice") : undefined;
	};
	const save = async (against = rev) => {
		setTried(true);
		if (busy || roles.some(({ name }, at) => problem(name, at) !== undefined)) return;
		setBusy(true);
		const result = await api.setRoles(
			roles.map(({ id, name, needed }) => ({ id, name: name.trim(), needed })),
			against,
		);
		if (context.signal.aborted) return;
		setBusy(false);
		setRefused(result.ok ? undefined : result);
		if (!result.ok) return;
		settle();
		context.announce(say("saved"));
	};
	return (
		<>
			<ScreenHeader sub={say("rolesHelp")} />
			<Form onSubmit={() => save()}>
				<DraftNote draft={edited} />
				{refused && (
					<Note tone="bad" role="alert">
						<p>{refusalIn(say, refused)}</p>
						{refused.why === "conflict" && (
							<>
								<OtherVersion fields={[[say("tabRoles"), inWords(roles), inWords(board.roles)]]} />
								<div class="d-row">
									<Button onPress={settle}>{say("takeTheirs")}</Button>
									<Button onPress={() => save(board.rolesRev)}>{say("keepMine")}</Button>
								</div>
							</>
						)}
					</Note>
				)}
				<ol class="roles" ref={list}>
					{roles.map(({ key, name, needed }, at) => (
						<li key={key}>
							<TextField
								label={say("roleNumber", { number: at + 1 })}
								hideLabel
								maxLength={maxName}
								value={name}
								error={tried ? problem(name, at) : undefined}
								onInput={(typed) =>
									change(roles.map((role) => (role.key === key ? { ...role, name: typed } : role)))
								}
							/>
							<SelectField
								label={say("neededOf", { role: name || say("roleNumber", { number: at + 1 }) })}
								hideLabel
								value={`${needed}`}
								options={numbers.map(({ value }) => ({ value, label: say("persons", { count: +value }) }))}
								onInput={(count) =>
									change(roles.map((role) => (role.key === key ? { ...role, needed: +count } : role)))
								}
							/>
							<Menu
								label={say("moreOf", { name })}
								items={[
									{ id: "up", label: say("up"), icon: "up", idle: at === 0, onPick: () => move(at, -1) },
									{
										id: "down",
										label: say("down"),
										icon: "down",
										idle: at === roles.length - 1,
										onPick: () => move(at, 1),
									},
									{
										id: "remove",
										label: say("remove"),
										icon: "trash",
										onPick: () => remove(key, name),
									},
								]}
							/>
						</li>
					))}
				</ol>
				<div class="d-row">
					<Button
						icon="plus"
						disabled={roles.length >= maxRoles}
						onPress={add}
					>
						{say("addRole")}
					</Button>
				</div>
				<div class="d-row">
					<Button submit kind="primary" busy={busy} busyWords={say("saving")} disabled={draft === undefined}>
						{say("save")}
					</Button>
					{draft !== undefined && <Button onPress={cancel}>{say("cancel")}</Button>}
				</div>
			</Form>
		</>
	);
}

const inWords = (roles: readonly { readonly name: string; readonly needed: number }[]): string =>
	roles.map(({ name, needed }) => `${name} (${needed})`).join(", ");

/** Distinguishes a role that has no id yet. crypto.randomUUID exists only on secure origins. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
