import { useState } from "preact/hooks";
import { clockError } from "../../../kit/clockinput";
import { Combobox } from "../../../kit/combobox";
import { MomentField } from "../../../kit/field";
import { instantOf, localTime } from "../../../kit/house";
import { Tile } from "../../../kit/layout";
import { initialsOf } from "../../../kit/person";
import { ListRow } from "../../../kit/table";
import type { App } from "../../app/app";
import { nameOf, permissionsHash } from "../../app/people";
import { type Grant, type GrantList, type Permission, readHolders } from "../../data/grants";
import { Link } from "../../shell/anchor";
import { Loaded, useResource } from "../../shell/loaded";
import { moment } from "../../words/times";
import { manageGrants } from "../modules/permissions";
import { permissionOption } from "../permissions/people";
import { w } from "./words";

interface HoldersProps {
	readonly app: App;
	readonly permissions: readonly Permission[];
}

/** The people who held a permission at a time. */
export function Holders({ app, permissions }: HoldersProps) {
	const [chosen, setChosen] = useState<string>();
	const [at, setAt] = useState(() => localTime(Date.now()));
	const permission = permissions.find(({ id }) => id === chosen);
	return (
		<div class="host-holders">
			<div class="d-fields">
				<Combobox
					label={w("permission")}
					options={permissions.map(permissionOption)}
					chosen={chosen}
					onChoose={setChosen}
				/>
				<MomentField label={w("at")} value={at} onInput={setAt} />
			</div>
			{permission === undefined || at === "" || clockError(at) !== undefined ? (
				<p class="d-muted">{w(permission === undefined ? "choose" : "chooseTime")}</p>
			) : (
				<HolderList
					key={`${permission.id} ${at}`}
					app={app}
					permission={permission}
					at={instantOf(at)}
				/>
			)}
		</div>
	);
}

interface HolderListProps {
	readonly app: App;
	readonly permission: Permission;
	readonly at: string;
}

function HolderList({ app, permission, at }: HolderListProps) {
	const resource = useResource(app, () => readHolders(app.platform, permission.id, at));
	return (
		<Loaded resource={resource} permission={manageGrants} part>
			{(list) => (
				<>
					<h2>{countOf(list)}</h2>
					{permission.baseline !== "restricted" && <p>{w("everybodyCould")}</p>}
					{list.grants.length > 0 && (
						<ul class="d-list">
							{list.grants.map((grant) => (
								<Holder key={grant.id} app={app} grant={grant} list={list} />
							))}
						</ul>
					)}
					<p class="d-muted">
						{w("ownerToo")} {list.grants.length > 0 && w("noDeactivated")}
					</p>
				</>
			)}
		</Loaded>
	);
}

interface HolderProps {
	readonly app: App;
	readonly grant: Grant;
	readonly list: GrantList;
}

function Holder({ app, grant, list }: HolderProps) {
	const { userId, createdAt, expiresAt, revokedAt } = grant;
	const person = list.people.get(userId);
	const name = person ? nameOf(person) : userId;
	const end = [expiresAt, revokedAt].filter((time) => time !== null).sort()[0];
	return (
		<ListRow
			lead={<Tile initials={initialsOf(name)} lit />}
			title={
				<>
					<Link app={app} to={permissionsHash(userId)}>
						<bdi>{name}</bdi>
					</Link>
					{person?.email && person.name && (
						<>
							{" "}
							<bdi dir="ltr" class="d-second">
								{person.email}
							</bdi>
						</>
					)}
				</>
			}
			second={w(end === undefined ? "heldSince" : "heldUntil", {
				since: moment(createdAt),
				until: end === undefined ? "" : moment(end),
			})}
		/>
	);
}

function countOf({ grants }: GrantList): string {
	const count = new Set(grants.map(({ userId }) => userId)).size;
	return count === 0 ? w("nobodyCould") : w("couldDo", { count });
}
