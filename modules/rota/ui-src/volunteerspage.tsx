import { Button, Chip, type Column, EmptyState, Menu, ScreenHeader, Table } from "@narthex/kit";
import { useEffect } from "preact/hooks";
import type { Board, Volunteer } from "./board";
import type { Tools } from "./tools";

const perRequest = 90;

interface VolunteersProps {
	readonly tools: Tools;
	readonly board: Board;
	/** How many volunteers are drawn. */
	readonly drawn: number;
	/** Draws more of them. */
	more(): void;
}

/** The volunteers by name, and what can be done with all of them. */
export function VolunteersPage({ tools, board, drawn, more }: VolunteersProps) {
	const { context, api, say, sends, tell } = tools;
	useEffect(() => context.setTitle(say("tabVolunteers")), []);
	const people = board.volunteers.filter(({ label }) => label !== "");
	const roles = new Map(board.roles.map(({ id, name }) => [id, name]));
	const uninvited = people.filter(({ connected, email, mail }) => !connected && email !== "" && mail === null);
	const invite = async (some: readonly Volunteer[]): Promise<void> => {
		for (let from = 0; from < some.length; from += perRequest) {
			const ids = some.slice(from, from + perRequest).map(({ id }) => id);
			const result = await api.send("invitation", ids);
			if (!tell(result, say("sendingInvitations"), undefined, () => invite(some.slice(from)))) return;
		}
	};
	const columns: readonly Column<Volunteer>[] = [
		{
			id: "name",
			head: say("volunteer"),
			part: "title",
			cell: ({ id, label, email }) => (
				<>
					<a class="d-name" href={`#/m/${context.module.id}/volunteers/${id}`}>
						<bdi>{label}</bdi>
					</a>
					<div class="d-second">{email === "" ? say("noAddress") : <bdi dir="ltr">{email}</bdi>}</div>
				</>
			),
		},
		{
			id: "roles",
			head: say("tabRoles"),
			part: "detail",
			cell: ({ roleIds }) => roleIds.flatMap((id) => roles.get(id) ?? []).join(", "),
		},
		{ id: "state", head: say("state"), width: "200px", cell: (one) => <State tools={tools} volunteer={one} /> },
		{
			id: "actions",
			head: say("actions"),
			hideHead: true,
			part: "actions",
			width: "240px",
			cell: (one) => <Actions tools={tools} volunteer={one} invite={() => invite([one])} />,
		},
	];
	const add = (
		<Button kind="primary" icon="plus" onPress={() => context.navigate("volunteers/new")}>
			{say("addVolunteer")}
		</Button>
	);
	const list = (
		<Button icon="upload" onPress={() => context.navigate("transfer")}>
			{say("importList")}
		</Button>
	);
	if (people.length === 0) {
		return (
			<EmptyState
				title={say("noVolunteers")}
				help={say("noVolunteersHelp")}
				action={
					<div class="d-row">
						{add}
						{list}
					</div>
				}
			/>
		);
	}
	return (
		<>
			<ScreenHeader
				sub={say("people", { count: people.length })}
				actions={
					<>
						{list}
						{sends && uninvited.length > 0 && (
							<Button icon="mail" onPress={() => invite(uninvited)}>
								{say("inviteAll", { count: uninvited.length })}
							</Button>
						)}
						{add}
					</>
				}
			/>
			<Table
				label={say("tabVolunteers")}
				columns={columns}
				rows={people.slice(0, drawn)}
				rowId={({ id }) => id}
			/>
			{drawn < people.length && (
				<div class="d-row further">
					<Button onPress={more}>{say("showMore")}</Button>
				</div>
			)}
		</>
	);
}

function State({ tools: { say }, volunteer }: { readonly tools: Tools; readonly volunteer: Volunteer }) {
	const { connected, mail } = volunteer;
	if (connected) {
		return (
			<Chip tone="ok" door="lit">
				{say("connected")}
			</Chip>
		);
	}
	if (mail === null) {
		return (
			<Chip tone="plain" door="shut">
				{say("notInvited")}
			</Chip>
		);
	}
	const calm = mail.outcome === "sent" || mail.outcome === "queued";
	return (
		<Chip tone={calm ? "info" : "bad"} door={calm ? "half" : "barred"}>
			{say(mail.outcome === "sent" ? "invited" : `mail.${mail.outcome}`)}
		</Chip>
	);
}

interface ActionsProps {
	readonly tools: Tools;
	readonly volunteer: Volunteer;
	invite(): Promise<void>;
}

function Actions({ tools, volunteer, invite }: ActionsProps) {
	const { context, api, say, sends, tell } = tools;
	const { id, label, email, connected, mail } = volunteer;
	const withdraw = async (): Promise<void> => {
		tell(await api.withdrawLink(id), say("withdrawn", { name: label }), undefined, withdraw);
	};
	const remove = async () => {
		const question = {
			title: say("deleteTitle", { name: label }),
			body: say("deleteHelp"),
			yes: say("delete"),
			no: say("keep"),
			danger: true,
		};
		if (await context.confirm(question)) tell(await api.removeVolunteer(id), say("deleted", { name: label }));
	};
	return (
		<>
			{sends && !connected && email !== "" && (
				<Button kind="quiet" label={say(mail ? "inviteAgainOf" : "inviteOf", { name: label })} onPress={invite}>
					{say(mail ? "sendAgain" : "invite")}
				</Button>
			)}
			<Menu
				label={say("moreOf", { name: label })}
				items={[
					{
						id: "edit",
						label: say("edit"),
						icon: "pencil",
						onPick: () => context.navigate(`volunteers/${id}`),
					},
					{
						id: "away",
						label: say("daysAway"),
						icon: "calendar",
						onPick: () => context.navigate(`volunteers/${id}/away`),
					},
					{ id: "withdraw", label: say(connected ? "disconnect" : "withdraw"), icon: "undo", onPick: withdraw },
					{ id: "delete", label: say("deleteAsk"), icon: "trash", grave: true, onPick: remove },
				]}
			/>
		</>
	);
}
