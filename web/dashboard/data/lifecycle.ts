import { type Change, changesOf } from "./changes";
import type { Platform } from "./platform";
import type { Result } from "./request";
import { count, listOf, object, orAbsent, orNull, text, yesOrNo } from "./shape";
import { translated } from "./translated";

/** A module's state according to the running process, with the reason. */
const runtime = object({
	state: text,
	reason: orAbsent(text),
	dependency: orAbsent(object({ moduleId: text })),
	configurationKey: orAbsent(text),
	storageBucketId: orAbsent(text),
});
const entry = translated(object({
	id: text,
	name: text,
	version: text,
	configured: object({ enabled: yesOrNo }),
	runtime,
	restartRequired: yesOrNo,
	dependencies: listOf(object({ id: text, kind: text, moduleId: orNull(text), required: yesOrNo })),
}));
export const lifecycle = object({ modules: listOf(entry) });

const preview = object({
	modules: listOf(translated(object({ moduleId: text, name: text, now: runtime, then: runtime }))),
	screens: listOf(object({ moduleId: text, count })),
});

const process = object({
	state: text,
	since: orNull(text),
	starts: count,
	lastEnd: orNull(object({ at: text, kind: text, code: orNull(count) })),
	memoryBytes: count,
	memoryLimitBytes: count,
	hostMemoryBytes: count,
	hostMemoryLimitBytes: count,
	cpuSeconds: count,
	inFlight: count,
	waiting: count,
	requests: count,
	failures: count,
});

export type Runtime = ReturnType<typeof runtime>;
export type LifecycleEntry = ReturnType<typeof entry>;
export interface LifecycleView extends ReturnType<typeof lifecycle> {
	/** What the next start changes. */
	readonly changes: readonly Change[];
}
/** What the next start would change. */
export type Preview = ReturnType<typeof preview>;
export type Process = ReturnType<typeof process>;

const path = (moduleId: string, what: string) => `/api/v1/module-lifecycle/${moduleId}/${what}`;

/** Reads the modules, and what the next start does with the pending decisions and settings. */
export async function readLifecycle(platform: Platform): Promise<Result<LifecycleView>> {
	const read = await platform.lifecycle();
	if (!read.ok) return read;
	const { modules } = read.value;
	const waiting = modules.find(({ restartRequired }) => restartRequired);
	if (waiting === undefined) return { ok: true, value: { modules, changes: [] } };
	// The preview of a decision that is stored already covers everything that is stored.
	const preview = await previewEnable(platform, waiting.id, waiting.configured.enabled);
	if (!preview.ok) return preview;
	return { ok: true, value: { modules, changes: changesOf(modules, preview.value) } };
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
