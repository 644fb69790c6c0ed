import { PageHeader, ZoneNote } from "../../../kit/layout";
import { Switch } from "../../../kit/switch";
import type { App } from "../../app/app";
import type { ScreenProps } from "../../app/screen";
import type { LifecycleView } from "../../data/lifecycle";
import type { LifecycleEntry } from "../../data/lifecycleshapes";
import { Link } from "../../shell/anchor";
import { Trail } from "../../shell/trail";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded } from "../../shell/loaded";
import { NotFound } from "../../shell/notfound";
import { t } from "../../words/words";
import { CrashReport } from "./crashreport";
import { Fact } from "./fact";
import { holds, manageConfiguration, manageLifecycle } from "./permissions";
import { dependents } from "./status";
import { moduleHash, settingsHash, StateChip, Why } from "./state";
import { useSwitching } from "./switching";
import { w } from "./words";

/** One module: what it is, what it needs, and the state of its process. */
export function ModulePage({ app, params }: ScreenProps) {
	const { lifecycle } = app.data;
	useLive(lifecycle);
	return (
		<Loaded resource={lifecycle} permission={manageLifecycle}>
			{(view) => {
				const module = view.modules.find(({ id }) => id === params["id"]);
				if (module === undefined) return <NotFound app={app} words={t("moduleNotThere")} />;
				return <Facts key={module.id} app={app} view={view} module={module} />;
			}}
		</Loaded>
	);
}

interface FactsProps {
	readonly app: App;
	readonly view: LifecycleView;
	readonly module: LifecycleEntry;
}

function Facts({ app, view, module }: FactsProps) {
	const names = new Map(view.modules.map(({ id, name }) => [id, name]));
	const nameOf = (moduleId: string) => names.get(moduleId) ?? moduleId;
	const { busy, press } = useSwitching(app, nameOf);
	const needing = view.modules.filter(({ dependencies }) =>
		dependencies.some(({ moduleId, required }) => required && moduleId === module.id),
	);
	return (
		<>
			<Trail app={app} steps={[["#/admin/modules", t("modules")]]} here={module.name} />
			<PageHeader
				heading={
					<div class="d-row">
						<Heading title={module.name} part={module.id} />
						<StateChip state={module.runtime.state} />
					</div>
				}
				sub={<ZoneNote />}
				actions={
					holds(app, manageConfiguration) && (
						<Link app={app} to={settingsHash(module.id)} class="d-button">
							{w("settings")}
						</Link>
					)
				}
			/>
			<div class="host-status">
				<Why
					app={app}
					module={module}
					needing={dependents(view).get(module.id) ?? []}
					nameOf={nameOf}
				/>
				<Switch
					label={w("startAfter")}
					checked={module.configured.enabled}
					busy={busy === module.id}
					onChange={() => void press(module)}
				/>
			</div>
			<dl class="host-facts">
				<Fact name={w("version")}>{module.version}</Fact>
				<Fact name={w("needs")}>
					{module.dependencies.map(({ id, moduleId }) =>
						moduleId === null ? w("lacking", { name: id }) : <To key={id} app={app} to={moduleId} of={nameOf} />,
					)}
				</Fact>
				<Fact name={w("neededByHead")}>
					{needing.map(({ id }) => (
						<To key={id} app={app} to={id} of={nameOf} />
					))}
				</Fact>
			</dl>
			<CrashReport app={app} moduleId={module.id} />
		</>
	);
}

interface ToProps {
	readonly app: App;
	readonly to: string;
	of(moduleId: string): string;
}

function To({ app, to, of }: ToProps) {
	return (
		<Link app={app} to={moduleHash(to)}>
			<bdi>{of(to)}</bdi>
		</Link>
	);
}
