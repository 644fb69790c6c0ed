import type { Runtime } from "../../data/lifecycleshapes";
import type { Difference, Preview } from "../../data/lifecyclewrites";
import { labelOf } from "../settings/values";
import { w } from "./words";

/** A module, as far as the words of its settings are concerned. */
type Labelled = Pick<Difference, "configuration">;

const fillingsOf = (module: Labelled, runtime: Runtime, nameOf: (moduleId: string) => string) => {
	const { dependency, configurationKey: key = "", storageBucketId = "" } = runtime;
	return {
		module: dependency ? nameOf(dependency.moduleId) : "",
		key: labelOf({ key, label: module.configuration?.[key]?.label }),
		bucket: storageBucketId,
	};
};

/** Why a module is blocked, in a sentence; "" if it is not. */
export function reasonOf(module: Labelled, runtime: Runtime, nameOf: (moduleId: string) => string): string {
	const { reason = "" } = runtime;
	if (!(reason in w.catalogue.en)) return reason; // from a newer server
	return w(reason as "storage_unavailable", fillingsOf(module, runtime, nameOf));
}

/** What is done of what a module lacked, in a sentence; "" if its state was no lack. */
export function doneOf(module: Labelled, runtime: Runtime, nameOf: (moduleId: string) => string): string {
	const id = `${runtime.reason ?? ""}_done`;
	if (!(id in w.catalogue.en)) return "";
	return w(id as "configuration_missing_done", fillingsOf(module, runtime, nameOf));
}

/**
 * What a change would alter, one sentence for each effect. The module in question is first. New settings of a
 * module that runs on are not in the preview.
 */
export function consequencesOf(
	{ modules, screens }: Preview,
	about: string,
	nameOf: (moduleId: string) => string,
	newSettings = false,
): string[] {
	const sentences = sentencesOf(modules, about, nameOf);
	if (newSettings && sentences.length === 0) sentences.push(w("settingsNext", { module: nameOf(about) }));
	const runs = new Set(modules.filter(({ then }) => then.state === "running").map(({ moduleId }) => moduleId));
	for (const { moduleId, count } of screens) {
		if (count > 0) sentences.push(w(runs.has(moduleId) ? "lit" : "dark", { module: nameOf(moduleId), count }));
	}
	return [...(sentences.length > 0 ? sentences : [w("same")]), w("notBefore")];
}

/** What the next restart changes in any case, a sentence for each module, after a heading; [] if nothing. */
export function waitingBeside(
	{ waiting }: Preview,
	about: string,
	nameOf: (moduleId: string) => string,
): string[] {
	const sentences = sentencesOf(waiting, about, nameOf);
	return sentences.length === 0 ? [] : [w("waitsAnyway"), ...sentences];
}

function sentencesOf(
	differences: readonly Difference[],
	about: string,
	nameOf: (moduleId: string) => string,
): string[] {
	const first = differences.filter(({ moduleId }) => moduleId === about);
	const ordered = [...first, ...differences.filter(({ moduleId }) => moduleId !== about)];
	return ordered.map((difference) => {
		const { name: module, now, then } = difference;
		if (then.state === "running") return w("startsNext", { module });
		const what = now.state === "running" ? w("stopsNext", { module }) : w("willNotStart", { module });
		const why = then.state === "blocked" ? reasonOf(difference, then, nameOf) : "";
		return `${what} ${why}`.trim();
	});
}
