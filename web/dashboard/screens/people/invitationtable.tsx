import { Button } from "../../../kit/button";
import { Chip } from "../../../kit/chip";
import { EmptyState, Note, Tile } from "../../../kit/layout";
import { Menu } from "../../../kit/menu";
import { initialsOf } from "../../../kit/person";
import { Table } from "../../../kit/table";
import type { App } from "../../app/app";
import { nameAndAddress } from "../../app/people";
import { type Invitation, type Listed, sendInvitation, withdrawInvitation } from "../../data/people";
import type { Failure } from "../../data/request";
import type { Resource } from "../../data/resource";
import { refuse } from "../../shell/refusal";
import { day } from "../../words/times";
import { t } from "../../words/words";
import { managePeople } from "../modules/permissions";
import { w } from "./words";

interface InvitationTableProps {
	readonly app: App;
	readonly list: Listed<Invitation>;
	readonly resource: Resource<unknown>;
}

/** The invitations, the delivery of their emails, and how to send them again. */
export function InvitationTable({ app, list: { items }, resource }: InvitationTableProps) {
	if (items.length === 0) return <EmptyState title={w("nobodyInvited")} help={w("nobodyInvitedHelp")} />;
	return (
		<>
			{items.some(({ delivery }) => delivery === "NOT_CONFIGURED") && (
				<Note tone="warn" icon="mail">
					{w("mailNotSetUp")}
				</Note>
			)}
			<Table
				label={w("segmentInvited")}
				class="host-people host-invitations"
				rows={items}
				rowId={({ id }) => id}
				columns={[
					{
						id: "person",
						head: w("person"),
						part: "title",
						cell: ({ name, email }) => (
							<span class="host-thing">
								{name ? <Tile initials={initialsOf(name)} /> : <Tile icon="mail" />}
								<span>
									<bdi class="d-name" dir={name ? "auto" : "ltr"}>
										{name || email}
									</bdi>
									{name && (
										<p class="d-second">
											<bdi dir="ltr">{email}</bdi>
										</p>
									)}
								</span>
							</span>
						),
					},
					{
						id: "state",
						head: w("state"),
						width: "7.5rem",
						cell: ({ state }) =>
							state === "open" ? (
								<Chip tone="info" door="half">
									{w("invitedState")}
								</Chip>
							) : (
								<Chip door="shut">{w("expiredState")}</Chip>
							),
					},
					{
						id: "delivery",
						head: w("delivery"),
						cell: ({ delivery, expiresAt }) => (
							<>
								<span class={went(delivery) ? undefined : "host-not-sent"}>
									{w(wordOf(delivery))}
								</span>
								<p class="d-second">{w("until", { day: day(expiresAt) })}</p>
							</>
						),
					},
					{
						id: "grants",
						head: w("comes"),
						width: "9rem",
						cell: ({ grants }) => (
							<span class="d-second">
								{w(grants.length === 0 ? "withNone" : "withPermissions", {
									count: grants.length,
								})}
							</span>
						),
					},
					{
						id: "more",
						head: t("more"),
						hideHead: true,
						part: "actions",
						width: "12.5rem",
						cell: (invitation) => (
							<Actions app={app} invitation={invitation} resource={resource} />
						),
					},
				]}
			/>
		</>
	);
}

interface ActionsProps {
	readonly app: App;
	readonly invitation: Invitation;
	readonly resource: Resource<unknown>;
}

function Actions({ app, invitation, resource }: ActionsProps) {
	const name = calledIn(invitation);
	return (
		<>
			<Button
				kind="text"
				label={w("sendAgainTo", { name })}
				onPress={() => sendAgain(app, invitation, resource)}
			>
				{w("sendAgain")}
			</Button>
			{invitation.state === "open" && (
				<Menu
					label={w("more", { name })}
					items={[
						{
							id: "withdraw",
							label: w("withdraw"),
							icon: "x",
							grave: true,
							onPick: () => withdraw(app, invitation, resource),
						},
					]}
				/>
			)}
		</>
	);
}

const calledIn = (invitation: Invitation): string => nameAndAddress(invitation) || invitation.id;

async function sendAgain(app: App, invitation: Invitation, resource: Resource<unknown>): Promise<void> {
	const answer = await app.data.write(sendInvitation(app.platform, invitation.id), resource);
	if (answer.ok) return app.announce(w("sentAgain", { name: calledIn(invitation) }));
	fail(app, answer, invitation, () => sendAgain(app, invitation, resource));
}

async function withdraw(app: App, invitation: Invitation, resource: Resource<unknown>): Promise<void> {
	const name = calledIn(invitation);
	const agreed = await app.questions.ask({
		title: w("withdrawTitle", { name }),
		body: [w("withdrawBody")],
		yes: w("withdrawIt"),
		no: w("keep"),
		danger: true,
	});
	if (!agreed) return;
	const again = async (): Promise<void> => {
		const answer = await app.data.write(withdrawInvitation(app.platform, invitation.id), resource);
		if (answer.ok) app.announce(w("withdrawn", { name }));
		else fail(app, answer, invitation, again);
	};
	await again();
}

function fail(app: App, failure: Failure, invitation: Invitation, again: () => unknown): void {
	switch (failure.code) {
		case "INVITATION_NOT_OPEN":
		case "INVITATION_NOT_FOUND":
			return app.announce(w("notOpen"), "assertive");
		case "TOO_MANY_REQUESTS":
			return app.announce(w("tooOften", { name: calledIn(invitation) }), "assertive");
		case "INVITATION_ALREADY_ACCEPTED":
			return app.announce(w("joinedAlready", { name: calledIn(invitation) }), "assertive");
		default:
			return refuse(app, failure, managePeople, again);
	}
}

const went = (delivery: string | null): boolean =>
	delivery === "SENT" || delivery === "QUEUED" || delivery === null;

/** The text for the delivery of an email. */
function wordOf(delivery: string | null) {
	switch (delivery) {
		case null:
			return "byOperator";
		case "QUEUED":
			return "queued";
		case "SENT":
			return "sent";
		case "NOT_CONFIGURED":
			return "notSetUp";
		case "REJECTED":
		case "MESSAGE_INVALID":
			return "refused";
		case "DEFERRED":
			return "deferred";
		default:
			return "notSent";
	}
}
