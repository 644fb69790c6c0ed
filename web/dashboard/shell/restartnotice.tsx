import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button";
import { Icon } from "../../kit/icons";
import { focusHeading } from "../../kit/toast";
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
			const result = await app.platform.lifecycle();
			return result.ok ? changesOf(result.value) : undefined;
		}
		if (!configuration) return undefined;
		const result = await app.platform.configurations();
		if (!result.ok) return undefined;
		return result.value.modules
			.filter((module) => module.restartRequired)
			.map(({ name }) => ({ module: name, what: "settings" as const }));
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
		if (found === undefined) app.announce(t("serverFailed"), "assertive");
		else app.announce(found.length === 0 ? t("nothingWaits") : t("changesWait", { count: found.length }));
	};

	if (changes.length === 0) return null;
	return (
		<aside class="note banner-line restart" aria-label={t("restart")}>
			<KeepFocus />
			<Icon name="refresh" />
			<p>
				<strong>{t("changesWait", { count: changes.length })}</strong>
			</p>
			<Button kind="text" expanded={open} controls="changes" onPress={() => setOpen(!open)}>
				{t("whatChanges")}
			</Button>
			<Button kind="text" onPress={check}>
				{t("checkAgain")}
			</Button>
			<ul id="changes" class="more" hidden={!open}>
				{changes.map(({ module, what }) => (
					<li key={module + what}>{t(`${what}Next`, { module })}</li>
				))}
				<li>{t("askForRestart")}</li>
			</ul>
		</aside>
	);
}

/** When the banner goes with the focus in it, the screen's heading takes the focus. */
function KeepFocus() {
	const mark = useRef<HTMLSpanElement>(null);
	useLayoutEffect(() => {
		const banner = mark.current?.parentElement;
		return () => {
			if (banner?.contains(document.activeElement)) focusHeading();
		};
	}, []);
	return <span ref={mark} hidden />;
}
