import { Icon } from "../../kit/icons";
import type { Address } from "../app/address";
import { type App, homeModule } from "../app/app";
import { homeHash, moduleHash, type Route } from "../app/route";
import type { NavigationView } from "../data/platform";
import { t } from "../words/words";
import { w as home } from "../screens/home/words";
import { Link } from "./anchor";
import { FindButton } from "./findbutton";

interface SidebarProps {
	readonly app: App;
	/** undefined until it is known: then only the place of the sidebar is shown. */
	readonly view: NavigationView | undefined;
	/** The administration screens that the caller may use. */
	readonly administration: readonly Address[];
	/** Hidden on a phone, until the Menu button shows it. */
	readonly folded: boolean;
	/** Opens the palette: on a phone the header has no room for its field. */
	find(): void;
}

interface Item {
	readonly to: string;
	readonly name: string;
	readonly icon: string;
}

/** Home, the modules in their groups, and the administration. Empty groups are not shown. */
export function Sidebar({ app, view, administration, folded, find }: SidebarProps) {
	if (view === undefined) {
		return <div id="navigation" class="host-sidebar" data-folded={folded ? "" : undefined} />;
	}
	const groups = view.groups.map(({ id, label, modules }) => ({ id, label, items: itemsOf(modules) }));
	const ungrouped = itemsOf(view.ungrouped);
	const screens = administration.map(({ path, title, icon }) => ({ to: `#/${path}`, name: title(), icon }));
	return (
		<div id="navigation" class="host-sidebar" data-folded={folded ? "" : undefined}>
			<div role="search">
				<FindButton find={find} />
			</div>
			<nav aria-label={t("modules")}>
				<List app={app} items={[{ to: homeHash, name: home("home"), icon: "home" }]} />
				{groups.map(
					({ id, label, items }) =>
						items.length > 0 && (
							<div key={id}>
								<h2>
									<bdi>{label}</bdi>
								</h2>
								<List app={app} items={items} />
							</div>
						),
				)}
				{ungrouped.length > 0 && <List app={app} items={ungrouped} />}
			</nav>
			{screens.length > 0 && (
				<nav aria-labelledby="administration">
					<h2 id="administration">{t("administration")}</h2>
					<List app={app} items={screens} />
				</nav>
			)}
		</div>
	);
}

const itemsOf = (entries: NavigationView["ungrouped"]): Item[] =>
	entries
		.filter(({ moduleId }) => moduleId !== homeModule)
		.map(({ moduleId, name, ui }) => ({ to: moduleHash(moduleId), name, icon: ui.icon ?? "door" }));

function List({ app, items }: { readonly app: App; readonly items: readonly Item[] }) {
	const route = app.router.route.value;
	const here = hereOf(route);
	return (
		<ul>
			{items.map(({ to, name, icon }) => (
				<li key={to}>
					<Link app={app} to={to} current={to === here || (to !== homeHash && here.startsWith(`${to}/`))}>
						<Icon name={icon} />
						<bdi>{name}</bdi>
					</Link>
				</li>
			))}
		</ul>
	);
}

function hereOf(route: Route): string {
	if (route.to === "module") return moduleHash(route.moduleId);
	return route.to === "screen" ? `#/${route.screen.path}` : "";
}
