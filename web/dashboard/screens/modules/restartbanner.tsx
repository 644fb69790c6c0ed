import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Icon } from "../../../kit/icons";
import { focusHeading } from "../../../kit/toast";
import type { App } from "../../app/app";
import { waitingIn } from "../../data/changes";
import type { Resource } from "../../data/resource";
import { sentenceOf } from "../../words/failure";
import { w } from "./words";

export interface RestartBannerProps {
	readonly app: App;
	/** What says which changes wait. */
	readonly source: Resource<unknown>;
}

/** The changes that wait for a restart. */
export function RestartBanner({ app, source }: RestartBannerProps) {
	const [open, setOpen] = useState(false);
	const changes = waitingIn(app.data);
	const check = async () => {
		app.data.acted = performance.now();
		const [read] = await Promise.all([source.load(), app.data.navigation.load()]);
		const count = waitingIn(app.data).length;
		if (!read.ok) app.announce(sentenceOf(read), "assertive");
		else app.announce(count === 0 ? w("nothingWaits") : w("changesWait", { count }));
	};
	return (
		<aside class="d-note d-banner-line restart" aria-label={w("restart")}>
			<KeepFocus />
			<Icon name="refresh" />
			<p>
				<strong>
					{changes.length === 0 ? w("nothingWaits") : w("changesWait", { count: changes.length })}
				</strong>
			</p>
			<Button kind="text" expanded={open} controls="changes" onPress={() => setOpen(!open)}>
				{w("whatChanges")}
			</Button>
			<Button kind="text" onPress={check}>
				{w("checkAgain")}
			</Button>
			<ul id="changes" class="host-changes" hidden={!open}>
				{changes.map(({ module, what }) => (
					<li key={module + what}>{w(`${what}Next`, { module })}</li>
				))}
				<li>{w("askForRestart")}</li>
			</ul>
		</aside>
	);
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
