/** The shapes of the answers about the modules' lifecycle. */
import { byName, listOf, object, orAbsent, orNull, text, yesOrNo } from "./shape";
import { translated } from "./translated";

/** A module's state according to the running process, with the reason. */
export const runtime = object({
	state: text,
	reason: orAbsent(text),
	dependency: orAbsent(object({ moduleId: text })),
	configurationKey: orAbsent(text),
	storageBucketId: orAbsent(text),
});
/** Only in translations: what people call the configuration keys that runtime objects name. */
export const labels = orAbsent(byName(object({ label: text })));
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

export type Runtime = ReturnType<typeof runtime>;
export type LifecycleEntry = ReturnType<typeof entry>;
