import { type Change, changesOf } from "./changes";
import type { lifecycle } from "./lifecycleshapes";
import type { Platform } from "./platform";
import type { Result } from "./request";

export interface LifecycleView extends ReturnType<typeof lifecycle> {
	/** What the next start changes. */
	readonly changes: readonly Change[];
}

/** Reads the modules, and what the next start does with the pending decisions and settings. */
export async function readLifecycle(platform: Platform): Promise<Result<LifecycleView>> {
	const read = await platform.lifecycle();
	if (!read.ok) return read;
	const { modules } = read.value;
	return { ok: true, value: { modules, changes: changesOf(modules) } };
}
