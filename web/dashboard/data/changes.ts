import type { LifecycleEntry } from "./lifecycleshapes";
import type { ConfigurationsView } from "./platform";
import type { Resource } from "./resource";

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

/** What the page reads of the decisions about modules. */
interface Decided {
	readonly lifecycle: Resource<{ readonly changes: readonly Change[] }>;
	readonly configurations: Resource<ConfigurationsView>;
}

/** The waiting changes, as far as the caller may read them. */
export function waitingIn({ lifecycle, configurations }: Decided): readonly Change[] {
	const view = lifecycle.value.value;
	if (view) return view.changes;
	const changed = configurations.value.value?.modules.filter(({ restartRequired }) => restartRequired) ?? [];
	return changed.map(({ moduleId, name }) => ({ moduleId, module: name, what: "settings" }));
}
