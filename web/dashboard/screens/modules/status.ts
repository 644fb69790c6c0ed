import type { LifecycleView } from "../../data/lifecycle";
import type { LifecycleEntry } from "../../data/lifecycleshapes";

/** How far a module is from the cause of its block; 0 is the cause itself. */
function depthOf(module: LifecycleEntry, modules: ReadonlyMap<string, LifecycleEntry>): number {
	const on = module.runtime.dependency && modules.get(module.runtime.dependency.moduleId);
	return on?.runtime.state === "blocked" ? 1 + depthOf(on, modules) : 0; // dependencies have no cycles
}

const ranks: Readonly<Record<string, number>> = { blocked: 0, running: 1, disabled: 2 };

/**
 * The modules in display order: blocked ones first, of these the causes first. Switching a module does not
 * move it, because what runs changes only at a restart.
 */
export function inOrder({ modules }: Pick<LifecycleView, "modules">): LifecycleEntry[] {
	const byId = new Map(modules.map((module) => [module.id, module]));
	const placed = modules.map((module) => ({
		module,
		place: (ranks[module.runtime.state] ?? 1) * 1000 + depthOf(module, byId),
	}));
	placed.sort((a, b) => a.place - b.place || a.module.name.localeCompare(b.module.name));
	return placed.map(({ module }) => module);
}

/** The names of the modules that depend on each module, by its id. */
export function dependents({ modules }: Pick<LifecycleView, "modules">): Map<string, string[]> {
	const found = new Map<string, string[]>();
	for (const { name, dependencies } of modules) {
		for (const { moduleId, required } of dependencies) {
			if (required && moduleId !== null) found.set(moduleId, [...(found.get(moduleId) ?? []), name]);
		}
	}
	return found;
}

/** Whether a reason is one that the module's settings remove. */
export const isForSettings = (reason: string): boolean =>
	reason === "configuration_missing" || reason === "configuration_invalid";
