import { Button } from "../../../kit/button";
import { Tile } from "../../../kit/layout";
import { initialsOf } from "../../../kit/person";
import { type Column, Table } from "../../../kit/table";
import type { App } from "../../app/app";
import { holdersHash, nameAndAddress, nameOf, permissionsHash } from "../../app/people";
import type { Person } from "../../data/directory";
import {
	type Grant,
	type GrantFilter,
	type GrantList,
	issueGrant,
	type Permission,
	revokeGrant,
} from "../../data/grants";
import type { Resource } from "../../data/resource";
import { Link } from "../../shell/anchor";
import { refuse } from "../../shell/refusal";
import { day, moment } from "../../words/times";
import { locale, t } from "../../words/words";
import { manageGrants } from "../modules/permissions";
import { purposeOf } from "./people";
import { w } from "./words";

interface GrantTableProps {
	readonly app: App;
	readonly list: GrantList;
	readonly permissions: readonly Permission[];
	readonly by: "person" | "permission";
	readonly filter: GrantFilter;
	readonly resource: Resource<GrantList>;
}

/** A grant, or a permission that an owner has without a grant. */
interface Row {
	readonly grant: Grant | undefined;
	readonly id: string;
	readonly userId: string;
	readonly name: string;
	/** "" if it is the name, or unknown. */
	readonly address: string;
	readonly nameAndAddress: string;
	/** "" if there is only an address or an id. */
	readonly initials: string;
	readonly permissionId: string;
	readonly purpose: string;
}

/** Who holds which permission, grouped by person or by permission. */
export function GrantTable({ app, list, permissions, by, filter, resource }: GrantTableProps) {
	const known = new Map(permissions.map((permission) => [permission.id, permission]));
	const nameFor = (userId: string) => {
		const person = list.people.get(userId);
		return person ? nameOf(person) : userId;
	};
	const rows: Row[] = list.grants.map((grant) => ({
		grant,
		id: grant.id,
		...called(list.people.get(grant.userId), grant.userId),
		permissionId: grant.permissionId,
		purpose: purposeOf(known.get(grant.permissionId), grant.permissionId),
	}));
	const compare = new Intl.Collator(locale.value.tag).compare;
	rows.sort((a, b) =>
		by === "person"
			? compare(a.name, b.name) || compare(a.userId, b.userId) || compare(a.purpose, b.purpose)
			: compare(a.permissionId, b.permissionId) || compare(a.name, b.name),
	);
	const owners = [...list.people.values()].filter(
		({ owner, userId }) => owner && (filter.userId === undefined || filter.userId === userId),
	);
	rows.push(...owners.map(ownerRow));
	const first = (row: Row, at: number) => {
		const before = rows[at - 1];
		return by === "person" ? before?.userId !== row.userId : before?.permissionId !== row.permissionId;
	};
	const person: Column<Row> = {
		id: "person",
		head: w("person"),
		...(by === "person" ? { part: "title" } : {}),
		width: "14rem",
		cell: (row, at) => <PersonCell app={app} row={row} again={by === "person" && !first(row, at)} />,
	};
	const permission: Column<Row> = {
		id: "permission",
		head: w("permission"),
		...(by === "permission" ? { part: "title" } : {}),
		cell: (row, at) => <PermissionCell app={app} row={row} again={by === "permission" && !first(row, at)} />,
	};
	return (
		<Table
			label={t("permissions")}
			class="host-grants"
			rows={rows}
			rowId={({ id }) => id}
			columns={[
				...(by === "person" ? [person, permission] : [permission, person]),
				{
					id: "ends",
					head: w("ends"),
					width: "9rem",
					cell: ({ grant }) => (
						<span class="d-second">
							{grant === undefined
								? w("cannotEnd")
								: grant.expiresAt === null
									? w("noEnd")
									: w("until", { time: moment(grant.expiresAt) })}
						</span>
					),
				},
				{
					id: "by",
					head: w("givenBy"),
					width: "10rem",
					cell: ({ grant }) => (
						<span class="d-second">{grant ? givenBy(grant, nameFor) : w("atInstallation")}</span>
					),
				},
				{
					id: "withdraw",
					head: w("withdraw"),
					hideHead: true,
					part: "actions",
					width: "7.5rem",
					cell: ({ grant, nameAndAddress: name, permissionId }) =>
						grant && (
							<Button
								kind="quiet"
								label={w("withdrawOf", { permission: permissionId, name })}
								onPress={() => withdraw(app, grant, resource)}
							>
								{w("withdraw")}
							</Button>
						),
				},
			]}
		/>
	);
}

/** How a person is named in a row. */
const called = (person: Person | undefined, userId: string) => ({
	userId,
	name: person ? nameOf(person) : userId,
	address: (person?.name && person.email) || "",
	nameAndAddress: (person && nameAndAddress(person)) || userId,
	initials: initialsOf(person?.name ?? ""),
});

const ownerRow = (person: Person): Row => ({
	grant: undefined,
	id: `owner-${person.userId}`,
	...called(person, person.userId),
	permissionId: "",
	purpose: w("everything"),
});

function givenBy({ createdBy, createdAt }: Grant, nameFor: (userId: string) => string): string {
	if (createdBy === null) return w("byOperator", { day: day(createdAt) });
	return w("byOn", { name: nameFor(createdBy), day: day(createdAt) });
}

interface CellProps {
	readonly app: App;
	readonly row: Row;
	/** The row above has the same value. */
	readonly again: boolean;
}

function PersonCell({ app, row, again }: CellProps) {
	return (
		<span class={again ? "host-thing host-again" : "host-thing"}>
			{row.initials === "" ? <Tile icon="person" lit /> : <Tile initials={row.initials} lit />}
			<span>
				{again ? (
					<bdi class="d-name">{row.name}</bdi>
				) : (
					<Link app={app} to={permissionsHash(row.userId)} class="d-name">
						<bdi>{row.name}</bdi>
					</Link>
				)}
				{row.grant === undefined && <span class="d-second"> {w("owner")}</span>}
				{row.address !== "" && (
					<p class="d-second">
						<bdi dir="ltr">{row.address}</bdi>
					</p>
				)}
			</span>
		</span>
	);
}

function PermissionCell({ app, row: { grant, purpose, permissionId }, again }: CellProps) {
	if (grant === undefined) return <bdi>{purpose}</bdi>;
	const code = (
		<bdi dir="ltr" translate={false} class="d-code">
			<Pieces id={permissionId} />
		</bdi>
	);
	return (
		<span class={again ? "host-purpose host-again" : "host-purpose"}>
			{purpose !== permissionId && <bdi>{purpose}</bdi>}{" "}
			{again ? (
				code
			) : (
				<Link
					app={app}
					to={holdersHash(permissionId)}
					label={w("holdersOf", { permission: permissionId })}
				>
					{code}
				</Link>
			)}
			{grant.orphaned && <span class="d-second">{w("unknown")}</span>}
		</span>
	);
}

/** An id that may break only after its dots, not inside a word. */
const Pieces = ({ id }: { readonly id: string }) => (
	<>
	{id.split(".").map((piece, at) => (
		<>
			{at > 0 && "."}
			{at > 0 && <wbr />}
			{piece}
		</>
	))}
	</>
);

/** Revokes a grant, which can be undone; before revoking one's own it asks. */
async function withdraw(app: App, grant: Grant, resource: Resource<GrantList>): Promise<void> {
	const who = app.session.who.peek();
	if (who.is === "person" && who.userId === grant.userId) {
		const agreed = await app.questions.ask({
			title: w("ownTitle"),
			body: [w("ownBody", { permission: grant.permissionId }), w("ownHelp")],
			yes: w("withdraw"),
			no: w("keep"),
			danger: true,
		});
		if (!agreed) return;
	}
	const answer = await app.data.write(revokeGrant(app.platform, grant.id), resource);
	if (!answer.ok) return refuse(app, answer, manageGrants, () => withdraw(app, grant, resource));
	if (who.is === "person" && who.userId === grant.userId) void app.data.navigation.load();
	const undo = async () => {
		const given = await app.data.write(issueGrant(app.platform, grant), resource);
		if (given.ok) app.announce(w("given"));
		else refuse(app, given, manageGrants);
	};
	app.announce(w("withdrawn"), "polite", { label: t("undo"), run: undo });
}
