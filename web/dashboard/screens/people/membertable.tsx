import { useState } from "preact/hooks";
import { Chip } from "../../../kit/chip";
import { Tile } from "../../../kit/layout";
import { Menu, type MenuItem } from "../../../kit/menu";
import { initialsOf } from "../../../kit/person";
import { Table } from "../../../kit/table";
import type { App } from "../../app/app";
import { permissionsHash } from "../../app/people";
import type { Member } from "../../data/people";
import type { Resource } from "../../data/resource";
import { ago, day } from "../../words/times";
import { t } from "../../words/words";
import { holds, manageGrants, seeActivity } from "../modules/permissions";
import { deactivate, reactivate, remind } from "./decisions";
import { EraseDialog } from "./erasedialog";
import { displayName, isOneself, moduleNames } from "./displayname";
import { OthersDialog } from "./othersdialog";
import { w } from "./words";

interface MemberTableProps {
	readonly app: App;
	readonly members: readonly Member[];
	/** The resources that a decision about a person changes. */
	readonly changed: readonly Resource<unknown>[];
}

/** The people who have an account, and the decisions about them. */
export function MemberTable({ app, members, changed }: MemberTableProps) {
	const [erasing, setErasing] = useState<Member>();
	const [asking, setAsking] = useState<Member>();
	return (
		<>
			<Table
				label={w("segmentMembers")}
				class="host-people host-members"
				rows={members}
				rowId={({ userId }) => userId}
				columns={[
					{
						id: "person",
						head: w("person"),
						part: "title",
						cell: (member) => (
							<span class="host-thing">
								{member.name ? (
									<Tile initials={initialsOf(member.name)} lit={isActive(member)} />
								) : (
									<Tile icon="person" lit={isActive(member)} />
								)}
								<span>
									<bdi class="d-name">{displayName(member)}</bdi>
									{isOneself(app, member) && <span class="d-second"> {w("you")}</span>}
									{member.email !== null && member.name && (
										<p class="d-second">
											<bdi dir="ltr">{member.email}</bdi>
										</p>
									)}
								</span>
							</span>
						),
					},
					{
						id: "role",
						head: w("role"),
						width: "12rem",
						cell: (member) => <Role app={app} member={member} />,
					},
					{
						id: "seen",
						head: w("seen"),
						width: "11rem",
						cell: (member) =>
							isActive(member) && (
								<span class="d-second">
									<span class="d-in-card">{w("seen")}: </span>
									{seenOf(member, app.clock.now())}
								</span>
							),
					},
					{
						id: "since",
						head: w("since"),
						width: "8rem",
						cell: ({ createdAt }) => (
							<span class="d-second">
								<span class="d-in-card">{w("since")} </span>
								{day(createdAt)}
							</span>
						),
					},
					{
						id: "more",
						head: t("more"),
						hideHead: true,
						part: "actions",
						width: "44px",
						cell: (member) => {
							const items = itemsOf({
								app,
								member,
								changed,
								erase: () => setErasing(member),
								ask: () => setAsking(member),
							});
							return items.length === 0 ? null : (
								<Menu label={w("more", { name: displayName(member) })} items={items} />
							);
						},
					},
				]}
			/>
			{asking && <OthersDialog app={app} member={asking} onClose={() => setAsking(undefined)} />}
			{erasing && (
				<EraseDialog
					app={app}
					member={erasing}
					changed={changed}
					onClose={() => setErasing(undefined)}
				/>
			)}
		</>
	);
}

const isActive = ({ deactivatedAt, erasedAt }: Member): boolean =>
	deactivatedAt === null && erasedAt === null;

/** How exactly the server knows when a session was last used, in milliseconds, and a little more. */
const exactness = 15 * 60_000;

function seenOf({ lastSeenAt }: Member, now: number): string {
	if (!lastSeenAt) return w("nowhere");
	return now - Date.parse(lastSeenAt) < exactness ? w("seenNow") : ago(lastSeenAt, now);
}

/** Owner or member, in quiet words: only a person whose account is not as it should be has a chip. */
function Role({ app, member }: { readonly app: App; readonly member: Member }) {
	const { owner, deactivatedAt, erasedAt, erasurePending = [] } = member;
	if (erasurePending.length > 0) {
		return (
			<>
				<Chip tone="warn" door="half">
					{w("erasing")}
				</Chip>
				<p class="d-second">{w("waitsFor", { modules: moduleNames(app, erasurePending) })}</p>
			</>
		);
	}
	if (erasedAt !== null) return <Ended word={w("erased")} at={erasedAt} />;
	if (deactivatedAt !== null) return <Ended word={w("deactivated")} at={deactivatedAt} />;
	return (
		<>
			{w(owner ? "owner" : "member")}
			<p class="d-second">{w(member.hasPasskey ? "withPasskey" : "noPasskey")}</p>
		</>
	);
}

function Ended({ word, at }: { readonly word: string; readonly at: string }) {
	return (
		<>
			<Chip door="shut">{word}</Chip>
			<p class="d-second">{w("sinceDay", { day: day(at) })}</p>
		</>
	);
}

interface PersonActions {
	readonly app: App;
	readonly member: Member;
	readonly changed: readonly Resource<unknown>[];
	erase(): void;
	/** Shows who can do what is not possible here. */
	ask(): void;
}

/** What else there is about a person, and the decisions, without those that the server would refuse. */
function itemsOf(actions: PersonActions): MenuItem[] {
	const { app, member } = actions;
	const items: MenuItem[] = [];
	if (holds(app, manageGrants) && member.erasedAt === null) {
		items.push({
			id: "permissions",
			label: t("permissions"),
			icon: "key",
			onPick: () => app.router.go(permissionsHash(member.userId)),
		});
	}
	if (holds(app, seeActivity)) {
		items.push({
			id: "activity",
			label: t("activity"),
			icon: "activity",
			onPick: () => app.router.go(`#/admin/activity/${member.userId}`),
		});
	}
	if (member.erasedAt === null) {
		items.push({ id: "others", label: w("others"), icon: "info", onPick: actions.ask });
	}
	if (isActive(member) && !member.hasPasskey) {
		items.push({ id: "remind", label: w("remind"), icon: "mail", onPick: () => remind(app, member) });
	}
	return [...items, ...decisionsOf(actions)];
}

function decisionsOf({ app, member, changed, erase }: PersonActions): MenuItem[] {
	if (member.owner || member.erasedAt !== null || isOneself(app, member)) return [];
	if (member.deactivatedAt === null) {
		return [
			{
				id: "deactivate",
				label: w("deactivate"),
				icon: "signOut",
				onPick: () => deactivate(app, member, changed),
			},
		];
	}
	return [
		{
			id: "reactivate",
			label: w("reactivate"),
			icon: "undo",
			onPick: () => reactivate(app, member, changed),
		},
		{ id: "erase", label: w("erase"), icon: "trash", grave: true, onPick: erase },
	];
}
