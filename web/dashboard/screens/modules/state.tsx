import type { ComponentChildren } from "preact";
import { Chip } from "../../../kit/chip";
import type { App } from "../../app/app";
import type { Change } from "../../data/changes";
import type { LifecycleEntry, Runtime } from "../../data/lifecycle";
import { Link } from "../../shell/anchor";
import { reasonOf } from "./consequences";
import { holds, manageConfiguration } from "./permissions";
import { isForSettings } from "./standing";
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
	readonly change: Change | undefined;
	/** The modules that depend on this one. */
	readonly needing: readonly string[];
	nameOf(moduleId: string): string;
}

/** The reason for a module's state, what a restart changes, and the next step. */
export function Why({ app, module, change, needing, nameOf }: WhyProps) {
	const { runtime } = module;
	const names = new Intl.ListFormat(document.documentElement.lang).format(needing);
	const blocked = runtime.state === "blocked";
	const second: ComponentChildren[] = [];
	if (blocked && needing.length > 0) second.push(w("neededBy", { names }));
	const stops = change?.what === "stops" && needing.length > 0;
	return (
		<div class="host-why">
			<div>
				{blocked && (
					<p>
						{reasonOf(runtime, nameOf)} {runtime.reason === "storage_unavailable" && w("operator")}
					</p>
				)}
				{change && (
					<p class="d-row">
						<Chip tone="warn" door="half">
							{w(change.what === "settings" ? "changes" : change.what)}
						</Chip>
						{change.then?.state === "blocked" && <span class="d-second">{reasonOf(change.then, nameOf)}</span>}
						{stops && <span class="d-second">{w("needIt", { names, count: needing.length })}</span>}
					</p>
				)}
				{second.map((words, at) => (
					<p key={at} class="d-second">
						{words}
					</p>
				))}
			</div>
			<NextStep app={app} module={module} runtime={runtime} nameOf={nameOf} />
		</div>
	);
}

interface NextStepProps extends Pick<WhyProps, "app" | "module" | "nameOf"> {
	readonly runtime: Runtime;
}

function NextStep({ app, module, runtime, nameOf }: NextStepProps) {
	const on = runtime.dependency?.moduleId;
	if (on !== undefined && runtime.state === "blocked") {
		return (
			<Link app={app} to={moduleHash(on)} class="d-button d-text" label={w("goTo", { module: nameOf(on) })}>
				{w("goToIt")}
			</Link>
		);
	}
	if (!holds(app, manageConfiguration) || runtime.state !== "blocked") return null;
	if (!isForSettings(runtime) && runtime.reason !== "secret_missing") return null;
	return (
		<Link
			app={app}
			to={settingsHash(module.id, runtime.configurationKey)}
			class="d-button d-text"
			label={w("settingsOf", { module: module.name })}
		>
			{w("settings")}
		</Link>
	);
}
