import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { hasWords } from "../../../kit/folding";
import { EmptyState, PageHeader, Tile } from "../../../kit/layout";
import { Menu } from "../../../kit/menu";
import { Segments, Switch } from "../../../kit/switch";
import { type Column, Table } from "../../../kit/table";
import type { App } from "../../app/app";
import type { ScreenProps } from "../../app/screen";
import type { LifecycleView } from "../../data/lifecycle";
import type { LifecycleEntry } from "../../data/lifecycleshapes";
import { Link } from "../../shell/anchor";
import { Filter } from "../../shell/filter";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded } from "../../shell/loaded";
import { t } from "../../words/words";
import { ModuleSettingsList } from "./settingslist";
import { holds, manageConfiguration, manageLifecycle } from "./permissions";
import { dependents, inOrder } from "./status";
import { hasWhy, moduleHash, settingsHash, StateChip, Why } from "./state";
import { useSwitching } from "./switching";
import { w } from "./words";

/**
 * W7: which modules run, which do not, and why. A person who may only write settings sees the modules that
 * have settings.
 */
export function ModulesScreen({ app }: ScreenProps) {
	if (!holds(app, manageLifecycle)) return <ModuleSettingsList app={app} />;
	return <Modules app={app} />;
}

function Modules({ app }: { readonly app: App }) {
	const { lifecycle } = app.data;
	useLive(lifecycle);
	return (
		<Loaded resource={lifecycle} permission={manageLifecycle}>
			{(view) => <List app={app} view={view} />}
		</Loaded>
	);
}

type Shown = "all" | "blocked" | "running" | "disabled";

function List({ app, view }: { readonly app: App; readonly view: LifecycleView }) {
	const [shown, setShown] = useState<Shown>("all");
	const [text, setText] = useState("");
	const names = new Map(view.modules.map(({ id, name }) => [id, name]));
	const nameOf = (moduleId: string) => names.get(moduleId) ?? moduleId;
	const switching = useSwitching(app, nameOf);
	const counted = (state: string) => view.modules.filter(({ runtime }) => runtime.state === state).length;
	const [running, blocked, off] = [counted("running"), counted("blocked"), counted("disabled")];
	const rows = inOrder(view).filter(
		({ id, name, runtime }) =>
			(shown === "all" || runtime.state === shown) &&
			hasWords(`${name} ${id}`, text.trim()),
	);
	const sub = w("sub", { running: w("runningCount", { count: running }), blocked, off });
	const clear = () => {
		setShown("all");
		setText("");
	};
	return (
		<>
			<PageHeader heading={<Heading title={t("modules")} />} sub={sub} />
			{view.modules.length === 0 ? (
				<EmptyState title={w("none")} help={w("noneHelp")} />
			) : (
				<>
					<div class="host-toolbar">
						<Segments
							name="shown"
							label={w("state")}
							chosen={shown}
							onChoose={(id) => setShown(id)}
							segments={[
								{ id: "all", label: w("all"), count: view.modules.length },
								{ id: "blocked", label: w("blockedOnes"), count: blocked },
								{ id: "running", label: w("runningOnes"), count: running },
								{ id: "disabled", label: w("offOnes"), count: off },
							]}
						/>
						<Filter label={w("filter")} value={text} onInput={setText} />
					</div>
					<Table
						label={t("modules")}
						class="host-modules"
						columns={columnsOf(app, view, nameOf, switching)}
						rows={rows}
						rowId={({ id }) => id}
					/>
					{rows.length === 0 && (
						<p class="d-row">
							{t("noMatch")}
							<Button kind="text" onPress={clear}>
								{w("clear")}
							</Button>
						</p>
					)}
				</>
			)}
		</>
	);
}

function columnsOf(
	app: App,
	view: LifecycleView,
	nameOf: (moduleId: string) => string,
	{ busy, press }: ReturnType<typeof useSwitching>,
): Column<LifecycleEntry>[] {
	const needing = dependents(view);
	const explains = view.modules.some(hasWhy); // without, the column would be empty
	return [
		{
			id: "module",
			head: w("module"),
			part: "title",
			...(explains && { width: "15rem" }),
			cell: (module) => <Name app={app} module={module} />,
		},
		{
			id: "state",
			head: w("state"),
			width: "8.5rem",
			cell: ({ runtime }) => <StateChip state={runtime.state} />,
		},
		...(explains
			? [
					{
						id: "why",
						head: w("why"),
						part: "detail" as const,
						cell: (module: LifecycleEntry) => (
							<Why
								app={app}
								module={module}
								needing={needing.get(module.id) ?? []}
								nameOf={nameOf}
							/>
						),
					},
				]
			: []),
		{
			id: "start",
			head: w("startAfter"),
			width: "9.5rem",
			part: "actions",
			cell: (module) => (
				<Switch
					label={w("startAfterOf", { module: module.name })}
					words={w("startAfter")}
					checked={module.configured.enabled}
					busy={busy === module.id}
					onChange={() => void press(module)}
				/>
			),
		},
		{
			id: "more",
			head: t("more"),
			hideHead: true,
			part: "actions",
			width: "44px",
			cell: ({ id, name }) => <More app={app} moduleId={id} name={name} />,
		},
	];
}

function Name({ app, module }: { readonly app: App; readonly module: LifecycleEntry }) {
	const icon = app.entry(module.id)?.ui.icon ?? "door";
	return (
		<span class="host-thing">
			<Tile icon={icon} lit={module.runtime.state === "running"} />
			<span>
				<Link app={app} to={moduleHash(module.id)} class="d-name">
					<bdi>{module.name}</bdi>
				</Link>{" "}
				<span class="d-muted">{module.version}</span>
			</span>
		</span>
	);
}

interface MoreProps {
	readonly app: App;
	readonly moduleId: string;
	readonly name: string;
}

function More({ app, moduleId, name }: MoreProps) {
	const items = [
		{
			id: "details",
			label: w("details"),
			icon: "info",
			onPick: () => app.router.go(moduleHash(moduleId)),
		},
		{
			id: "settings",
			label: w("settings"),
			icon: "sliders",
			onPick: () => app.router.go(settingsHash(moduleId)),
		},
	] as const;
	return (
		<Menu
			label={w("more", { module: name })}
			items={holds(app, manageConfiguration) ? items : items.slice(0, 1)}
		/>
	);
}
