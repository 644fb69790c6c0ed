import { useState } from "preact/hooks";
import type { App } from "../../app/app";
import type { LifecycleEntry } from "../../data/lifecycleshapes";
import { enable, previewEnable } from "../../data/lifecyclewrites";
import { refuse } from "../../shell/refusal";
import { consequencesOf, waitingBeside } from "./consequences";
import { manageLifecycle } from "./permissions";
import { w } from "./words";

/** Switches modules on and off, each after showing the consequences. */
export function useSwitching(app: App, nameOf: (moduleId: string) => string) {
	const [busy, setBusy] = useState<string>();
	const press = async (module: LifecycleEntry) => {
		if (busy !== undefined) return;
		const enabled = !module.configured.enabled;
		setBusy(module.id);
		await change(app, module, enabled, nameOf);
		setBusy(undefined);
	};
	return { busy, press };
}

async function change(
	app: App,
	module: LifecycleEntry,
	enabled: boolean,
	nameOf: (moduleId: string) => string,
): Promise<void> {
	const { id, name } = module;
	const again = () => void change(app, module, enabled, nameOf);
	const preview = await previewEnable(app.platform, id, enabled);
	if (!preview.ok) return failed(app, preview, again);
	const agreed = await app.questions.ask({
		title: w(enabled ? "onTitle" : "offTitle", { module: name }),
		body: consequencesOf(preview.value, id, nameOf),
		aside: waitingBeside(preview.value, id, nameOf),
		yes: w(enabled ? "switchOn" : "switchOff"),
		no: w(enabled ? "leaveOff" : "leaveOn"),
		danger: !enabled,
	});
	if (!agreed) return;
	const { lifecycle, configurations } = app.data;
	const others = configurations.used ? [lifecycle, configurations] : [lifecycle];
	const answer = await app.data.write(enable(app.platform, id, enabled), ...others);
	if (!answer.ok) return failed(app, answer, again);
	app.announce(w(enabled ? "onNow" : "offNow", { module: name }));
}

function failed(app: App, failure: Parameters<typeof refuse>[1], again: () => void): void {
	if (failure.code === "MODULE_NOT_INSTALLED") app.announce(w("notInstalled"), "assertive");
	else refuse(app, failure, manageLifecycle, again);
}
