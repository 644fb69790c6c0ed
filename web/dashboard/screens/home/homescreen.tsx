import { useLayoutEffect } from "preact/hooks";
import { entriesOf } from "../../app/app";
import { moduleHash } from "../../app/route";
import type { ScreenProps } from "../../app/screen";
import { Heading } from "../../shell/heading";
import { CopyId } from "../account/copyid";
import { w } from "./words";

/** The start: the first module, or what to do when there is none. */
export function HomeScreen({ app }: ScreenProps) {
	const navigation = app.navigation.value;
	const first = navigation.is === "ready" ? entriesOf(navigation.view)[0] : undefined;
	useLayoutEffect(() => {
		if (first) app.router.go(moduleHash(first.moduleId), { replace: true });
	}, [first]);
	if (first) return null;
	return (
		<>
			<Heading title={w("empty")} />
			<div class="settings">
				<p class="muted">{w("emptyHelp")}</p>
				<CopyId app={app} />
			</div>
		</>
	);
}
