/** What the administration reads and writes of a module's lifecycle. */
import { entry, labels, runtime } from "./lifecycleshapes";
import type { Platform } from "./platform";
import type { Result } from "./request";
import { count, listOf, object, orNull, text } from "./shape";
import { translated } from "./translated";

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

export type Difference = ReturnType<typeof difference>;
/** What a change would alter at the next start. */
export type Preview = ReturnType<typeof preview>;
export type Process = ReturnType<typeof process>;

const path = (moduleId: string, what: string) => `/api/v1/module-lifecycle/${moduleId}/${what}`;

export const readProcess = (platform: Platform, moduleId: string): Promise<Result<Process>> =>
	platform.read(path(moduleId, "process"), process);

export const enable = (platform: Platform, moduleId: string, enabled: boolean): Promise<Result<unknown>> =>
	platform.send("PUT", path(moduleId, "enabled"), { enabled }, entry);

export const previewEnable = (platform: Platform, moduleId: string, enabled: boolean) =>
	platform.send("POST", path(moduleId, "preview"), { enabled }, preview);

/** What the next start would do with a module's settings. Nothing is written. */
export const previewValues = (platform: Platform, moduleId: string, values: object) =>
	platform.send("POST", `/api/v1/module-configuration/${moduleId}/preview`, { values }, preview);
