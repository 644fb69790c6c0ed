import type { LifecycleView } from "./platform";

export interface Change {
	readonly module: string;
	readonly what: "stops" | "starts" | "settings";
}

type Module = LifecycleView["modules"][number];

/**
 * What the next restart changes. A running module stops when it is switched off or needs a module that
 * stops. Any other running module gets new settings.
 */
export function changesOf(view: LifecycleView): Change[] {
	const modules = new Map(view.modules.map((module) => [module.id, module]));
	const stops = (module: Module): boolean =>
		module.restartRequired &&
		module.runtime.state === "running" &&
		(!module.configured.enabled ||
			module.dependencies.some(({ required, moduleId }) => {
				const needed = required && moduleId !== null ? modules.get(moduleId) : undefined;
				return needed !== undefined && stops(needed); // dependencies have no cycles: discovery refuses them
			}));
	return view.modules
		.filter((module) => module.restartRequired)
		.map((module) => ({
			module: module.name,
			what: module.runtime.state !== "running" ? "starts" : stops(module) ? "stops" : "settings",
		}));
}
