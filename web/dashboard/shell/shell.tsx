import { useEffect, useState } from "preact/hooks";
import { Icon, Mark } from "../../kit/icons";
import { Skeleton } from "../../kit/layout";
import { AccountMenu } from "./accountmenu";
import { AccountScreen } from "../screens/account/accountscreen";
import { type App, entriesOf } from "../app/app";
import { Heading } from "./heading";
import { Link } from "./anchor";
import { ModuleScreen } from "../screens/module/modulescreen";
import { RestartNotice } from "./restartnotice";
import { moduleHash, type Route, startHash } from "../app/route";
import { Sidebar } from "./sidebar";
import { Trouble } from "./trouble";
import { NewVersionNotice } from "./newversionnotice";
import { t } from "../words/words";
import { CopyId } from "../screens/account/copyid";

interface ShellProps {
	readonly app: App;
	readonly userId: string;
}

/** W5 and W6: banner, navigation and what the fragment names. */
export function Shell({ app, userId }: ShellProps) {
	const [unfolded, setUnfolded] = useState(false);
	const route = app.router.route.value;
	const navigation = app.navigation.value;
	useEffect(() => setUnfolded(false), [route]);
	const entries = navigation.is === "ready" ? entriesOf(navigation.view) : [];
	return (
		<>
			<a
				class="skip button primary"
				href="#main"
				onClick={(event) => {
					event.preventDefault(); // fragments are navigation
					document.getElementById("main")?.focus();
				}}
			>
				{t("skip")}
			</a>
			<header class="banner">
				<Link app={app} to={startHash} class="brand">
					<Mark />
					<span>{t("dashboard")}</span>
				</Link>
				{entries.length > 0 && (
					<button
						type="button"
						class="quiet menu-button"
						aria-expanded={unfolded}
						aria-controls="navigation"
						onClick={() => setUnfolded(!unfolded)}
					>
						<Icon name="menu" />
						{t("menu")}
					</button>
				)}
				<AccountMenu app={app} />
			</header>
			<div class={entries.length > 0 ? "columns" : "columns alone"}>
				{navigation.is === "ready" && entries.length > 0 && (
					<Sidebar
						app={app}
						view={navigation.view}
						current={moduleOf(route) ?? entries[0]?.moduleId}
						folded={!unfolded}
					/>
				)}
				<main id="main" tabIndex={-1}>
					<NewVersionNotice app={app} />
					{navigation.is === "ready" && <RestartNotice app={app} permissions={navigation.view.permissions} />}
					<Content app={app} userId={userId} route={route} />
				</main>
			</div>
		</>
	);
}

const moduleOf = (route: Route): string | undefined =>
	route.to === "module" ? route.moduleId : route.to === "start" ? undefined : "";

function Content({ app, userId, route }: ShellProps & { readonly route: Route }) {
	const navigation = app.navigation.value;
	if (route.to === "account") return <AccountScreen app={app} userId={userId} />;
	if (navigation.is === "loading") return <Skeleton />;
	if (navigation.is === "failed") {
		return (
			<Trouble failure={navigation.failure} at={navigation.at} retry={() => app.data.navigation.load()} />
		);
	}
	if (navigation.is === "forbidden") return <NoAccess permission={navigation.permission} />;
	if (route.to === "nowhere") return <Nowhere app={app} words={t("notThere")} />;
	const first = entriesOf(navigation.view)[0];
	if (route.to === "start" && first === undefined) return <Empty app={app} userId={userId} />;
	const moduleId = route.to === "module" ? route.moduleId : (first?.moduleId ?? "");
	const entry = app.entry(moduleId);
	if (entry === undefined) return <Nowhere app={app} words={t("moduleNotThere")} />;
	return <ModuleScreen key={moduleId} app={app} entry={entry} address={moduleHash(moduleId)} />;
}

function Empty({ app, userId }: ShellProps) {
	return (
		<>
			<Heading title={t("empty")} />
			<div class="settings">
				<p class="muted">{t("emptyHelp")}</p>
				<CopyId app={app} userId={userId} />
			</div>
		</>
	);
}

function NoAccess({ permission }: { readonly permission: string }) {
	return (
		<div class="card stack">
			<Heading title={t("dashboard")} unseen />
			<p role="alert">{t("noAccess", { permission })}</p>
		</div>
	);
}

function Nowhere({ app, words }: { readonly app: App; readonly words: string }) {
	return (
		<div class="stack">
			<Heading title={words} />
			<Link app={app} to={startHash} class="button">
				{t("toStart")}
			</Link>
		</div>
	);
}
