import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Combobox } from "../../../kit/combobox";
import { EmptyState, PageHeader, ZoneNote } from "../../../kit/layout";
import { Segments } from "../../../kit/switch";
import type { App } from "../../app/app";
import { useKept } from "../../app/kept";
import { nameOf, usePeople } from "../../app/people";
import type { Params } from "../../app/address";
import type { ScreenProps } from "../../app/screen";
import {
	type GrantFilter,
	type GrantList,
	type Permission,
	readGrants,
	readPermissions,
} from "../../data/grants";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded, useResource } from "../../shell/loaded";
import { t } from "../../words/words";
import { GiveDialog } from "./givedialog";
import { GrantTable } from "./granttable";
import { manageGrants } from "../modules/permissions";
import { permissionOption, personOption } from "./people";
import { w } from "./words";

/** Beyond this many pages, the grants are read again only when the person returns to the page. */
const livePages = 3;
const rarely = 3_600_000;

/** W9: who holds which permission, by person or by permission. */
export function PermissionsScreen({ app, params }: ScreenProps) {
	const permissions = useResource(app, () => readPermissions(app.platform));
	const [filter, setFilter] = useState(() => filterOf(params));
	const [pages, setPages] = useState(1);
	const { userId, permissionId } = filter;
	const inputs = [userId, permissionId, pages];
	const grants = useMemo(() => app.data.resource(() => readGrants(app.platform, filter, pages)), inputs);
	useLive(grants, pages > livePages ? rarely : undefined);
	const choose = (next: GrantFilter) => {
		setPages(1);
		setFilter(next);
	};
	useEffect(() => choose(filterOf(params)), [params]);
	return (
		<Loaded resource={permissions} permission={manageGrants}>
			{(known) => (
				<Screen
					app={app}
					permissions={known}
					grants={grants}
					filter={filter}
					onFilter={choose}
					onMore={() => setPages(pages + 1)}
				/>
			)}
		</Loaded>
	);
}

/** The filter that the address names. */
function filterOf({ person, permission }: Params): GrantFilter {
	if (person !== undefined) return { userId: person };
	return permission === undefined ? {} : { permissionId: permission };
}

interface ScreenParts {
	readonly app: App;
	readonly permissions: readonly Permission[];
	readonly grants: ReturnType<typeof useResource<GrantList>>;
	readonly filter: GrantFilter;
	onFilter(filter: GrantFilter): void;
	onMore(): void;
}

function Screen({ app, permissions, grants, filter, onFilter, onMore }: ScreenParts) {
	const [by, setBy] = useState<"person" | "permission">(
		filter.permissionId === undefined ? "person" : "permission",
	);
	const [giving, setGiving] = useKept(app, "admin/permissions", "giving", false);
	const list = grants.value.value;
	return (
		<>
			<PageHeader
				heading={<Heading title={t("permissions")} />}
				sub={
					<>
						{list && countOf(list, filter)}
						<ZoneNote after={list !== undefined} />
					</>
				}
				actions={
					<Button kind="primary" icon="plus" onPress={() => setGiving(true)}>
						{w("givePermission")}
					</Button>
				}
			/>
			<div class="host-toolbar">
				<Segments
					name="by"
					label={w("view")}
					chosen={by}
					onChoose={(id) => setBy(id)}
					segments={[
						{ id: "person", label: w("byPerson") },
						{ id: "permission", label: w("byPermission") },
					]}
				/>
				<Search app={app} permissions={permissions} list={list} filter={filter} onFilter={onFilter} />
			</div>
			<Loaded resource={grants} permission={manageGrants} part>
				{(found) => (
					<>
						{found.grants.length === 0 ? (
							<Nothing list={found} filter={filter} permissions={permissions} />
						) : (
							<GrantTable
								app={app}
								list={found}
								permissions={permissions}
								by={by}
								filter={filter}
								resource={grants}
							/>
						)}
						{found.more && (
							<div class="host-more">
								<Button onPress={onMore}>{w("more")}</Button>
							</div>
						)}
					</>
				)}
			</Loaded>
			{giving && (
				<GiveDialog
					app={app}
					permissions={permissions}
					filter={filter}
					known={list}
					onClose={() => setGiving(false)}
					onGiven={() => void grants.load()}
				/>
			)}
		</>
	);
}

function countOf({ grants, more }: GrantList, filter: GrantFilter): string | undefined {
	if (more) return w("subMore", { count: grants.length });
	if (filter.userId !== undefined || filter.permissionId !== undefined) return undefined;
	const permissions = new Set(grants.map(({ permissionId }) => permissionId)).size;
	return w("sub", {
		count: new Set(grants.map(({ userId }) => userId)).size,
		permissions: w("countPermissions", { count: permissions }),
	});
}

interface SearchProps extends Pick<ScreenParts, "app" | "permissions" | "filter" | "onFilter"> {
	readonly list: GrantList | undefined;
}

/** Searches all people and permissions. */
function Search({ app, permissions, list, filter, onFilter }: SearchProps) {
	const [typed, setTyped] = useState<string>();
	const found = usePeople(app, typed);
	const chosen = filter.userId === undefined ? undefined : list?.people.get(filter.userId);
	const people = [...found, ...(chosen && !found.includes(chosen) ? [chosen] : [])].map((person) => ({
		...personOption(person),
		group: w("person"),
	}));
	const options = [
		...people,
		...permissions.map((one) => ({ ...permissionOption(one), group: w("permission") })),
	];
	return (
		<div class="host-find">
			<Combobox
				label={w("find")}
				hideLabel
				hint={w("find")}
				options={options}
				chosen={filter.userId ?? filter.permissionId}
				onType={setTyped}
				onChoose={(id) => {
					if (id === undefined) onFilter({});
					else onFilter(people.some((one) => one.id === id) ? { userId: id } : { permissionId: id });
				}}
			/>
		</div>
	);
}

function Nothing({ list, filter, permissions }: Pick<ScreenParts, "filter" | "permissions"> & {
	readonly list: GrantList;
}) {
	const { userId, permissionId } = filter;
	if (permissionId !== undefined) {
		const permission = permissions.find(({ id }) => id === permissionId);
		if (permission?.baseline === "authenticated") return <p>{w("everybodyHas")}</p>;
		return (
			<p>
				{w("noneHere")} {w("noneHelp")}
			</p>
		);
	}
	if (userId === undefined) return <EmptyState title={w("none")} help={w("noneHelp")} />;
	const person = list.people.get(userId);
	if (person?.owner) return <p>{w("ownerHas", { name: nameOf(person) })}</p>;
	return <p>{person ? w("noneOf", { name: nameOf(person) }) : t("noMatch")}</p>;
}
