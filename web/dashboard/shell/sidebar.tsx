import { Icon } from "../../kit/icons";
import type { App } from "../app/app";
import { moduleHash } from "../app/route";
import type { NavigationEntry, NavigationView } from "../data/platform";
import { t } from "../words/words";
import { Link } from "./anchor";

interface SidebarProps {
	readonly app: App;
	readonly view: NavigationView;
	readonly current: string | undefined;
	/** On a phone, where the Menu button shows and hides it. */
	readonly folded: boolean;
}

/** The modules in their groups. Empty groups are kept on the server and not shown here. */
export function Sidebar({ app, view, current, folded }: SidebarProps) {
	const groups = view.groups.filter((group) => group.modules.length > 0);
	const list = (entries: readonly NavigationEntry[]) => (
		<ul>
			{entries.map(({ moduleId, name, ui }) => (
				<li key={moduleId}>
					<Link app={app} to={moduleHash(moduleId)} current={moduleId === current}>
						<Icon name={ui.icon ?? "door"} />
						<bdi>{name}</bdi>
					</Link>
				</li>
			))}
		</ul>
	);
	return (
		<div id="navigation" class="sidebar" data-folded={folded ? "" : undefined}>
			<nav aria-label={t("modules")}>
				{groups.map((group) => (
					<div key={group.id}>
						<h2>
							<bdi>{group.label}</bdi>
						</h2>
						{list(group.modules)}
					</div>
				))}
				{view.ungrouped.length > 0 && list(view.ungrouped)}
			</nav>
		</div>
	);
}
