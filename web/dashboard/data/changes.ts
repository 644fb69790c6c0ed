import type { LifecycleEntry, Preview, Runtime } from "./lifecycle";

/** What the next restart does to a module. */
export interface Change {
	readonly moduleId: string;
	readonly module: string;
	readonly what: "stops" | "starts" | "settings";
	/** The module's state after it, unless the module runs before and after it. */
	readonly then?: Runtime;
}

/**
 * What the next restart changes, according to the server's preview. A module that runs before and after it
 * gets new settings.
 */
export function changesOf(
	modules: readonly Pick<LifecycleEntry, "id" | "name" | "restartRequired">[],
	preview: Pick<Preview, "modules">,
): Change[] {
	const differs = new Map(preview.modules.map(({ moduleId, then }) => [moduleId, then]));
	return modules
		.filter(({ restartRequired }) => restartRequired)
		.map(({ id, name }): Change => {
			const then = differs.get(id);
			if (then === undefined) return { moduleId: id, module: name, what: "settings" };
			return { moduleId: id, module: name, what: then.state === "running" ? "starts" : "stops", then };
		});
}
