export interface Change {
	readonly moduleId: string;
	readonly module: string;
	readonly what: "stops" | "starts" | "settings";
}

/** What is asked of a module here. */
interface Module {
	readonly id: string;
	readonly name: string;
	readonly configured: { readonly enabled: boolean };
	readonly runtime: { readonly state: string };
	readonly restartRequired: boolean;
	readonly dependencies: readonly { readonly moduleId: string | null; readonly required: boolean }[];
}

/**
 * What the next restart changes. A running module stops when it is switched off or needs a module that
 * stops. Any other running module gets new settings.
 */
export function changesOf(view: { readonly modules: readonly Module[] }): Change[] {
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
			moduleId: module.id,
			module: module.name,
			what: module.runtime.state !== "running" ? "starts" : stops(module) ? "stops" : "settings",
		}));
}
