import { useEffect, useState } from "preact/hooks";
import type { App } from "../app/app";
import { type Change, changesOf } from "../data/changes";
import { t } from "../words/words";

const manageLifecycle = "core.modules.lifecycle.manage";
const manageConfiguration = "core.modules.configuration.manage";

interface RestartNoticeProps {
	readonly app: App;
	/** The platform permissions that the caller holds. */
	readonly permissions: readonly string[];
}

/** Tells those who may decide about modules that decisions wait for a restart. Nobody restarts from here. */
export function RestartNotice({ app, permissions }: RestartNoticeProps) {
	const [changes, setChanges] = useState<readonly Change[]>([]);
	const [open, setOpen] = useState(false);
	const lifecycle = permissions.includes(manageLifecycle);
	const configuration = permissions.includes(manageConfiguration);

	const read = async (): Promise<readonly Change[] | undefined> => {
		if (lifecycle) {
			const answer = await app.platform.lifecycle();
			return answer.ok ? changesOf(answer.value) : undefined;
		}
		if (!configuration) return undefined;
		const answer = await app.platform.configurations();
		return answer.ok
			? answer.value.modules.filter((module) => module.restartRequired).map(({ name }) => ({ module: name, what: "settings" as const }))
			: undefined;
	};
	useEffect(() => {
		let here = true;
		void read().then((found) => here && found && setChanges(found));
		return () => {
			here = false;
		};
	}, [lifecycle, configuration]);
	const check = async () => {
		const [found] = await Promise.all([read(), app.loadNavigation()]);
		if (found) setChanges(found);
		app.announce(found === undefined ? t("serverFailed") : found.length === 0 ? t("nothingWaits") : t("changesWait", { count: found.length }));
	};

	if (changes.length === 0) return null;
	return (
		<aside class="note restart" aria-label={t("restart")}>
			<p>{t("changesWait", { count: changes.length })}</p>
			<span>
				<button type="button" aria-expanded={open} aria-controls="changes" onClick={() => setOpen(!open)}>
					{t("whatChanges")}
				</button>
				<button type="button" onClick={() => void check()}>
					{t("checkAgain")}
				</button>
			</span>
			<ul id="changes" hidden={!open}>
				{changes.map(({ module, what }) => (
					<li key={module + what}>{t(`${what}Next`, { module })}</li>
				))}
				<li>{t("askForRestart")}</li>
			</ul>
		</aside>
	);
}
