import type { Preview, Runtime } from "../../data/lifecycle";
import { t } from "../../words/words";
import { w } from "./words";

/** Why a module is blocked, in a sentence; "" if it is not. */
export function reasonOf(runtime: Runtime, nameOf: (moduleId: string) => string): string {
	const { reason = "", dependency, configurationKey = "", storageBucketId = "" } = runtime;
	if (!(reason in w.catalogue.en)) return reason; // from a newer server
	return w(reason as "storage_unavailable", {
		module: dependency ? nameOf(dependency.moduleId) : "",
		key: configurationKey,
		bucket: storageBucketId,
	});
}

/** What the next start would change, one sentence for each effect. The module in question is first. */
export function consequencesOf(
	{ modules, screens }: Preview,
	about: string,
	nameOf: (moduleId: string) => string,
): string[] {
	const first = modules.filter(({ moduleId }) => moduleId === about);
	const ordered = [...first, ...modules.filter(({ moduleId }) => moduleId !== about)];
	const sentences = ordered.map(({ name: module, now, then }) => {
		if (now.state === "running" && then.state === "running") return t("settingsNext", { module });
		if (then.state === "running") return t("startsNext", { module });
		const what = now.state === "running" ? t("stopsNext", { module }) : w("willNotStart", { module });
		const why = then.state === "blocked" ? reasonOf(then, nameOf) : "";
		return `${what} ${why}`.trim();
	});
	const runs = new Set(modules.filter(({ then }) => then.state === "running").map(({ moduleId }) => moduleId));
	for (const { moduleId, count } of screens) {
		if (count > 0) sentences.push(w(runs.has(moduleId) ? "lit" : "dark", { module: nameOf(moduleId), count }));
	}
	return [...(sentences.length > 0 ? sentences : [w("same")]), w("notBefore")];
}
