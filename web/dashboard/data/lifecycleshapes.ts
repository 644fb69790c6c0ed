/** The shapes of the answers about the modules' lifecycle. */
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
export const entry = translated(object({
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
export const preview = object({
	/** What this change alters. */
	modules: listOf(difference),
	/** What the next start alters without it. */
	waiting: listOf(difference),
	screens: listOf(object({ moduleId: text, count })),
});

export const process = object({
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
export type Difference = ReturnType<typeof difference>;
/** What a change would alter at the next start. */
export type Preview = ReturnType<typeof preview>;
export type Process = ReturnType<typeof process>;
