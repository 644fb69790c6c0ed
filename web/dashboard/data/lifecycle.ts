import { type Change, changesOf } from "./changes";
import { entry, type lifecycle, preview, process, type Process } from "./lifecycleshapes";
import type { Platform } from "./platform";
import type { Result } from "./request";

export interface LifecycleView extends ReturnType<typeof lifecycle> {
	/** What the next start changes. */
	readonly changes: readonly Change[];
}

const path = (moduleId: string, what: string) => `/api/v1/module-lifecycle/${moduleId}/${what}`;

/** Reads the modules, and what the next start does with the pending decisions and settings. */
export async function readLifecycle(platform: Platform): Promise<Result<LifecycleView>> {
	const read = await platform.lifecycle();
	if (!read.ok) return read;
	const { modules } = read.value;
	return { ok: true, value: { modules, changes: changesOf(modules) } };
}

export const readProcess = (platform: Platform, moduleId: string): Promise<Result<Process>> =>
	platform.read(path(moduleId, "process"), process);

export const enable = (platform: Platform, moduleId: string, enabled: boolean): Promise<Result<unknown>> =>
	platform.send("PUT", path(moduleId, "enabled"), { enabled }, entry);

export const previewEnable = (platform: Platform, moduleId: string, enabled: boolean) =>
	platform.send("POST", path(moduleId, "preview"), { enabled }, preview);

/** What the next start would do with a module's settings. Nothing is written. */
export const previewValues = (platform: Platform, moduleId: string, values: object) =>
	platform.send("POST", `/api/v1/module-configuration/${moduleId}/preview`, { values }, preview);
