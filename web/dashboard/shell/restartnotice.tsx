import type { App } from "../app/app";
import { administration } from "../app/laterscript";
import { waitingIn } from "../data/changes";
import { useCalm } from "./calm";
import { useLaterPart } from "./laterpart";
import { useLive } from "./live";

const manageLifecycle = "core.modules.lifecycle.manage";
const manageConfiguration = "core.modules.configuration.manage";

const banner = administration((screens) => screens.RestartBanner);

interface RestartNoticeProps {
	readonly app: App;
	/** The caller's permissions of the platform's own. */
	readonly permissions: readonly string[];
}

/** Shows people who manage modules that changes wait for a restart. A restart is not possible from here. */
export function RestartNotice({ app, permissions }: RestartNoticeProps) {
	const { lifecycle, configurations } = app.data;
	const source = permissions.includes(manageLifecycle)
		? lifecycle
		: permissions.includes(manageConfiguration)
			? configurations
			: undefined;
	useLive(source);
	const waits = waitingIn(app.data).length > 0;
	const Banner = useLaterPart(banner, waits);
	const shown = useCalm(app, waits);
	return shown && source && Banner ? <Banner app={app} source={source} /> : null;
}
