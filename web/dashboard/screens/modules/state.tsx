import { Chip } from "../../../kit/chip";
import { Icon } from "../../../kit/icons";
import type { App } from "../../app/app";
import type { LifecycleEntry, Runtime } from "../../data/lifecycleshapes";
import { Link } from "../../shell/anchor";
import { locale } from "../../words/words";
import { doneOf, reasonOf } from "./consequences";
import { holds, manageConfiguration } from "./permissions";
import { isForSettings } from "./status";
import { w } from "./words";

/** The state of a module, as a word and as a door. */
export function StateChip({ state }: { readonly state: string }) {
	if (state === "blocked")
		return (
			<Chip tone="bad" door="barred">
				{w("blocked")}
			</Chip>
		);
	if (state === "disabled") return <Chip door="shut">{w("disabled")}</Chip>;
	return (
		<Chip tone="ok" door="lit">
			{w("running")}
		</Chip>
	);
}

export const settingsHash = (moduleId: string, key?: string) =>
	`#/admin/modules/${moduleId}/settings${key === undefined ? "" : `/${key}`}`;
export const moduleHash = (moduleId: string) => `#/admin/modules/${moduleId}`;

interface WhyProps {
	readonly app: App;
	readonly module: LifecycleEntry;
	/** The names of the modules that depend on this one. */
	readonly needing: readonly string[];
	nameOf(moduleId: string): string;
}

/** Whether there is anything to say about a module's state. */
export const hasWhy = (module: LifecycleEntry): boolean =>
	module.solved === true ||
	comingOf(module) !== undefined ||
	(module.next ?? module.runtime).state === "blocked";

/** The reason for a module's state, what is done about it and what is missing, by whom, and the next step. */
export function Why({ app, module, needing, nameOf }: WhyProps) {
	const { runtime, next, solved } = module;
	const names = new Intl.ListFormat(locale.value.tag).format(needing);
	const coming = comingOf(module);
	const done = solved === true ? doneOf(module, runtime, nameOf) : "";
	// The obstacle that counts is the one that the next start finds.
	const obstacle = next ?? runtime;
	return (
		<div class="host-why">
			<div>
				{done !== "" && (
					<p class="host-done">
						<Icon name="check" size={16} />
						<span>
							{done} <KeyOf runtime={runtime} />
						</span>
					</p>
				)}
				{coming !== undefined && (
					<p class="d-row">
						<Chip tone="warn" door="half">
							{w(coming)}
						</Chip>
						{coming === "stops" && needing.length > 0 && (
							<span class="d-second">{w("needIt", { names, count: needing.length })}</span>
						)}
					</p>
				)}
				{obstacle.state === "blocked" && (
					<p>
						{next !== null && runtime.state === "blocked" && <strong>{w("missing")}</strong>}{" "}
						{reasonOf(module, obstacle, nameOf)} <KeyOf runtime={obstacle} /> {whoCan(app, obstacle)}
					</p>
				)}
				{solved === true && next?.state === "running" && <p class="d-second">{w("operatorRestarts")}</p>}
				{runtime.state === "blocked" && needing.length > 0 && (
					<p class="d-second">{w("neededBy", { names })}</p>
				)}
			</div>
			<NextStep app={app} module={module} obstacle={obstacle} nameOf={nameOf} />
		</div>
	);
}

/** What the next restart does to a module, as the id of a text. */
function comingOf({ runtime, next, restartRequired }: LifecycleEntry) {
	if (next === null) return restartRequired ? "changes" : undefined;
	if (next.state === "running") return "starts";
	if (runtime.state === "running") return "stops";
	if (next.state === "disabled") return "staysOff";
	return runtime.state === "disabled" ? "notYet" : undefined;
}

/** Who can remove an obstacle, unless its reason says so already or the person can do it themselves. */
function whoCan(app: App, { reason = "" }: Runtime): string {
	if (reason === "storage_unavailable") return w("operator");
	return isForSettings(reason) && !holds(app, manageConfiguration) ? w("administrator") : "";
}

/** The key of the setting that a state is about, as the operator knows it. */
function KeyOf({ runtime: { configurationKey } }: { readonly runtime: Runtime }) {
	if (configurationKey === undefined) return null;
	return (
		<bdi dir="ltr" translate={false} class="d-second d-code">
			{configurationKey}
		</bdi>
	);
}

interface NextStepProps extends Pick<WhyProps, "app" | "module" | "nameOf"> {
	readonly obstacle: Runtime;
}

function NextStep({ app, module, obstacle, nameOf }: NextStepProps) {
	if (obstacle.state !== "blocked") return null;
	const { dependency, reason = "", configurationKey } = obstacle;
	if (dependency !== undefined) {
		const to = moduleHash(dependency.moduleId);
		const label = w("goTo", { module: nameOf(dependency.moduleId) });
		return (
			<Link app={app} to={to} class="d-button d-text" label={label}>
				{w("goToIt")}
			</Link>
		);
	}
	if (!holds(app, manageConfiguration)) return null;
	if (!isForSettings(reason) && reason !== "secret_missing") return null;
	return (
		<Link
			app={app}
			to={settingsHash(module.id, configurationKey)}
			class="d-button d-text"
			label={w("settingsOf", { module: module.name })}
		>
			{w("settings")}
		</Link>
	);
}
