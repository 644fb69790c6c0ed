import { type Change, changesOf } from "./changes";
import type { Platform } from "./platform";
import type { Result } from "./request";
import { byName, count, listOf, object, orAbsent, orNull, text, yesOrNo } from "./shape";
import { translated } from "./translated";

/** A module's state according to the running process, with the reason. */
const runtime = object({
	state: text,
	reason: orAbsent(text),
	dependency: orAbsent(object({ moduleId: text })),
	configurationKey: orAbsent(text),
	storageBucketId: orAbsent(text),
});
/** Only in translations: what people call the configuration keys that runtime objects name. */
const labels = orAbsent(byName(object({ label: text })));
const entry = translated(object({
	id: text,
	name: text,
	configuration: labels,
	version: text,
	configured: object({ enabled: yesOrNo }),
	runtime,
	/** What the next start makes of it; null where that is the same. */
	next: orNull(runtime),
	/** The reason of runtime no longer applies. */
	solved: orAbsent(yesOrNo),
	restartRequired: yesOrNo,
	dependencies: listOf(object({ id: text, kind: text, moduleId: orNull(text), required: yesOrNo })),
}));
export const lifecycle = object({ modules: listOf(entry) });

const difference = translated(
	object({ moduleId: text, name: text, configuration: labels, now: runtime, then: runtime }),
);
const preview = object({
	/** What this change alters. */
	modules: listOf(difference),
	/** What the next start alters without it. */
	waiting: listOf(difference),
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
export type Difference = ReturnType<typeof difference>;
/** What a change would alter at the next start. */
export type Preview = ReturnType<typeof preview>;
export type Process = ReturnType<typeof process>;

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
