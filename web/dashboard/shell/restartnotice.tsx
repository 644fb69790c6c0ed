import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button";
import { Icon } from "../../kit/icons";
import { focusHeading } from "../../kit/toast";
import type { App } from "../app/app";
import type { Change } from "../data/changes";
import type { LifecycleView } from "../data/lifecycle";
import type { ConfigurationsView } from "../data/platform";
import { sentenceOf } from "../words/failure";
import { t } from "../words/words";
import { useLive } from "./live";

const manageLifecycle = "core.modules.lifecycle.manage";
const manageConfiguration = "core.modules.configuration.manage";

interface RestartNoticeProps {
	readonly app: App;
	/** The caller's permissions of the platform's own. */
	readonly permissions: readonly string[];
}

/** Shows people who manage modules that changes wait for a restart. A restart is not possible from here. */
export function RestartNotice({ app, permissions }: RestartNoticeProps) {
	const [open, setOpen] = useState(false);
	const { lifecycle, configurations, navigation } = app.data;
	const source = permissions.includes(manageLifecycle)
		? lifecycle
		: permissions.includes(manageConfiguration)
			? configurations
			: undefined;
	const changes = waiting(lifecycle.value.value, configurations.value.value);
	useLive(source);
	const check = async () => {
		const [read] = await Promise.all([source?.load(), navigation.load()]);
		const count = waiting(lifecycle.value.peek(), configurations.value.peek()).length;
		if (read && !read.ok) app.announce(sentenceOf(read), "assertive");
		else app.announce(count === 0 ? t("nothingWaits") : t("changesWait", { count }));
	};

	if (changes.length === 0) return null;
	return (
		<aside class="d-note d-banner-line restart" aria-label={t("restart")}>
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
			<ul id="changes" class="d-more" hidden={!open}>
				{changes.map(({ module, what }) => (
					<li key={module + what}>{t(`${what}Next`, { module })}</li>
				))}
				<li>{t("askForRestart")}</li>
			</ul>
		</aside>
	);
}

/** The waiting changes, as far as the caller may read them. */
function waiting(lifecycle?: LifecycleView, configurations?: ConfigurationsView): readonly Change[] {
	if (lifecycle) return lifecycle.changes;
	const changed = configurations?.modules.filter(({ restartRequired }) => restartRequired) ?? [];
	return changed.map(({ moduleId, name }) => ({ moduleId, module: name, what: "settings" }));
}

/** If the banner disappears while it has the focus, the screen's heading gets it. */
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
