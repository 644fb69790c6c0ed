import { useMemo, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Combobox } from "../../../kit/combobox";
import { EmptyState, PageHeader, ZoneNote } from "../../../kit/layout";
import { Segments } from "../../../kit/switch";
import type { App } from "../../app/app";
import { usePeople } from "../../app/people";
import type { ScreenProps } from "../../app/screen";
import { type ActivityFilter, type ActivityList, readActivity } from "../../data/activity";
import { type Configuration, readConfiguration } from "../../data/configuration";
import { type Permission, readPermissions } from "../../data/grants";
import type { Result } from "../../data/request";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded, Refused, useResource } from "../../shell/loaded";
import { t } from "../../words/words";
import { holds, manageConfiguration, manageGrants, managePeople, seeActivity } from "../modules/permissions";
import { personOption } from "../permissions/people";
import { DayField } from "./dayfield";
import { EntryList } from "./entrylist";
import { Holders } from "./holders";
import { actions, moduleName } from "./sentences";
import { w } from "./words";

/** Beyond this many pages, the entries are read again only when the person returns to the page. */
const livePages = 3;
const rarely = 3_600_000;

/** Who changed what and when, and who had which permission. */
export function ActivityScreen({ app, params }: ScreenProps) {
	const start = params["person"];
	const [filter, setFilter] = useState<ActivityFilter>(start === undefined ? {} : { userId: start });
	const [pages, setPages] = useState(1);
	const [view, setView] = useState<"happened" | "holders">("happened");
	const { userId, action, moduleId, day } = filter;
	const activity = useMemo(
		() => app.data.resource(() => readActivity(app.platform, filter, pages)),
		[userId, action, moduleId, day, pages],
	);
	useLive(activity, pages > livePages ? rarely : undefined);
	const permissions = useResource(app, () => permissionsFor(app)).value.value;
	const list = activity.value.value;
	const replaced = list?.entries.filter((entry) => entry.action === "configuration.replaced") ?? [];
	const configured = [...new Set(replaced.map(({ subject }) => subject.id))].sort();
	const settings = useResource(app, () => settingsFor(app, configured), [configured.join()]).value.value;
	const choose = (next: ActivityFilter) => {
		setPages(1);
		setFilter(next);
	};
	const refused = activity.failed.value?.failure;
	if (refused?.status === 403) return <Refused failure={refused} permission={seeActivity} />;
	const counted = list && view === "happened" ? countOf(list) : undefined;
	return (
		<>
			<PageHeader
				heading={<Heading title={t("activity")} />}
				sub={
					<>
						{counted}
						<ZoneNote after={counted !== undefined} />
					</>
				}
			/>
			{holds(app, manageGrants) && (
				<div class="host-toolbar">
					<Segments
						name="view"
						label={w("view")}
						chosen={view}
						onChoose={(id) => setView(id)}
						segments={[
							{ id: "happened", label: w("happened") },
							{ id: "holders", label: w("holders") },
						]}
					/>
				</div>
			)}
			{view === "holders" && permissions ? (
				<Holders app={app} permissions={[...permissions.values()]} />
			) : (
				<>
					<Filters app={app} filter={filter} list={list} permissions={permissions} onFilter={choose} />
					<Loaded resource={activity} permission={seeActivity} part>
						{(found) => (
							<>
								{found.entries.length === 0 && (
									<Nothing filter={filter} onClear={() => choose({})} />
								)}
								<EntryList
									entries={found.entries}
									known={{
										...{ app, ...found, permissions: permissions ?? new Map() },
										settings: settings ?? new Map(),
									}}
								/>
								{found.more && (
									<div class="host-more">
										<Button onPress={() => setPages(pages + 1)}>{w("showMore")}</Button>
									</div>
								)}
							</>
						)}
					</Loaded>
				</>
			)}
		</>
	);
}

/** The permissions with their descriptions, if the caller may read them. */
async function permissionsFor(app: App): Promise<Result<ReadonlyMap<string, Permission>>> {
	if (!holds(app, manageGrants)) return { ok: true, value: new Map() };
	const answer = await readPermissions(app.platform);
	return answer.ok ? { ok: true, value: new Map(answer.value.map((one) => [one.id, one])) } : answer;
}

/** The settings of the modules, if the caller may read them, for their labels. */
async function settingsFor(
	app: App,
	moduleIds: readonly string[],
): Promise<Result<ReadonlyMap<string, Configuration>>> {
	const found = new Map<string, Configuration>();
	for (const id of holds(app, manageConfiguration) ? moduleIds : []) {
		const answer = await readConfiguration(app.platform, id);
		if (answer.ok) found.set(id, answer.value);
	}
	return { ok: true, value: found };
}

const countOf = ({ entries, more }: ActivityList): string =>
	w(more ? "newest" : "changes", { count: entries.length });

function Nothing({ filter, onClear }: { readonly filter: ActivityFilter; onClear(): void }) {
	if (Object.keys(filter).length === 0) return <EmptyState title={w("nothing")} help={w("nothingHelp")} />;
	return (
		<p class="d-row">
			{w("noneMatch")} <Button onPress={onClear}>{w("clear")}</Button>
		</p>
	);
}

interface FiltersProps {
	readonly app: App;
	readonly filter: ActivityFilter;
	readonly list: ActivityList | undefined;
	readonly permissions: ReadonlyMap<string, Permission> | undefined;
	onFilter(filter: ActivityFilter): void;
}

/** The filters for day, person, action and module, which are combined. */
function Filters({ app, filter, list, permissions, onFilter }: FiltersProps) {
	const [typed, setTyped] = useState<string>();
	const mayFind = holds(app, managePeople) || holds(app, manageGrants);
	const found = usePeople(app, mayFind ? typed : undefined);
	const named = [...(list?.people ?? [])].map(([id, label]) => ({ id, label }));
	const chosen = filter.userId === undefined ? [] : [{ id: filter.userId, label: filter.userId }];
	// a later one with the same id replaces the earlier one
	const people = new Map([...chosen, ...named, ...found.map(personOption)].map((one) => [one.id, one]));
	const navigation = app.navigation.value;
	const { groups, ungrouped } = navigation.is === "ready" ? navigation.view : { groups: [], ungrouped: [] };
	const open = [...groups.flatMap(({ modules }) => modules), ...ungrouped].map(({ moduleId }) => moduleId);
	const concerned = list?.entries.filter(({ subject }) => subject.kind === "module") ?? [];
	const moduleIds = [...new Set([...open, ...concerned.map(({ subject }) => subject.id)])];
	const change = (field: keyof ActivityFilter, value: string | undefined) => {
		const { [field]: _, ...rest } = filter;
		onFilter(value === undefined ? rest : { ...rest, [field]: value });
	};
	return (
		<div class="host-filters" role="search">
			<DayField label={w("day")} chosen={filter.day} onChoose={(day) => change("day", day)} />
			<Combobox
				label={w("person")}
				hint={w("anybody")}
				options={[...people.values()]}
				chosen={filter.userId}
				onType={setTyped}
				onChoose={(id) => change("userId", id)}
			/>
			<Combobox
				label={w("action")}
				hint={w("anything")}
				options={Object.entries(actions).map(([id, { name }]) => ({ id, label: w(name) }))}
				chosen={filter.action}
				onChoose={(id) => change("action", id)}
			/>
			<Combobox
				label={w("module")}
				hint={w("anyModule")}
				options={moduleIds.map((id) => ({ id, label: moduleName(app, id, permissions) }))}
				chosen={filter.moduleId}
				onChoose={(id) => change("moduleId", id)}
			/>
		</div>
	);
}
