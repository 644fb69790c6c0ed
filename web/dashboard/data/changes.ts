import type { LifecycleEntry } from "./lifecycleshapes";

/** What the next restart does to a module. */
export interface Change {
	readonly moduleId: string;
	readonly module: string;
	readonly what: "stops" | "starts" | "settings";
}

/** What the next restart changes. A module that runs before and after it gets new settings. */
export function changesOf(
	modules: readonly Pick<LifecycleEntry, "id" | "name" | "restartRequired" | "next">[],
): Change[] {
	return modules
		.filter(({ restartRequired }) => restartRequired)
		.map(({ id, name, next }): Change => {
			const what = next === null ? "settings" : next.state === "running" ? "starts" : "stops";
			return { moduleId: id, module: name, what };
		});
}
