import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button";
import { Skeleton } from "../../kit/layout";
import { OtherBuild } from "../app/laterscript";
import { type Address, opens, type Params } from "../app/address";
import type { App } from "../app/app";
import type { ScreenProps } from "../app/screen";
import type { NavigationEntry } from "../data/platform";
import { ModuleScreen } from "../screens/module/modulescreen";
import { componentOf } from "../screens/table";
import { t } from "../words/words";
import { ErrorPage } from "./errorpage";
import { Heading } from "./heading";
import { Refused } from "./loaded";
import { NoAccess, NotFound } from "./notfound";

/** The screen or module that the fragment names. */
export function Content({ app }: { readonly app: App }) {
	const route = app.router.route.value;
	const navigation = app.navigation.value;
	const open = useRef<NavigationEntry>(undefined);
	if (route.to === "screen" && route.screen.permissions === undefined && route.screen.path !== "")
		return <OwnScreen key={route.screen.path} app={app} screen={route.screen} params={route.params} />;
	if (navigation.is === "loading") return <Skeleton shape="page" />;
	if (navigation.is === "failed") {
		return (
			<ErrorPage failure={navigation.failure} at={navigation.at} retry={() => app.data.navigation.load()} />
		);
	}
	if (navigation.is === "forbidden") return <Refused {...navigation} />;
	if (route.to === "notfound") return <NotFound app={app} words={t("notThere")} />;
	if (route.to === "screen") {
		const { screen, params } = route;
		if (!opens(screen, navigation.view.permissions))
			return <NoAccess permission={screen.permissions?.[0] ?? ""} />;
		return <OwnScreen key={screen.path} app={app} screen={screen} params={params} />;
	}
	const entry = app.entry(route.moduleId);
	if (entry === undefined) {
		const { moduleId, name: module = "" } = open.current ?? {};
		const words = moduleId === route.moduleId ? t("moduleEnded", { module }) : t("moduleNotThere");
		return <NotFound app={app} words={words} />;
	}
	open.current = entry;
	return <ModuleScreen key={route.moduleId} app={app} entry={entry} />;
}

interface OwnScreenProps {
	readonly app: App;
	readonly screen: Address;
	readonly params: Params;
}

/** One of the Dashboard's own screens, once its component is loaded. */
function OwnScreen({ app, screen, params }: OwnScreenProps) {
	const [loaded, setLoaded] = useState<{ readonly Component: ComponentType<ScreenProps> }>();
	const [failed, setFailed] = useState<{ readonly error: unknown; readonly at: Date }>();
	const load = () =>
		componentOf(screen)
			.then((Component) => setLoaded({ Component }))
			.catch((error: unknown) => setFailed({ error, at: new Date() }));
	useEffect(() => void load(), []);
	if (loaded) return <loaded.Component app={app} params={params} />;
	if (failed === undefined) return <Skeleton shape="page" />;
	if (failed.error instanceof OtherBuild) return <Outdated />;
	return <ErrorPage failure={{ ok: false, status: 0, code: "NETWORK" }} at={failed.at} retry={load} />;
}

/** The requested screen belongs to a newer Dashboard than this tab's. */
function Outdated() {
	return (
		<div class="d-card d-stack">
			<Heading title={t("newVersion")} />
			<Button kind="primary" onPress={() => location.reload()}>
				{t("reload")}
			</Button>
		</div>
	);
}
