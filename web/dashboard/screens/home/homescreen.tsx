import { Icon } from "../../../kit/icons";
import { EmptyState } from "../../../kit/layout";
import { type App, doorsOf, homeModule } from "../../app/app";
import { moduleHash } from "../../app/route";
import type { ScreenProps } from "../../app/screen";
import type { NavigationEntry } from "../../data/platform";
import { Link } from "../../shell/anchor";
import { Heading } from "../../shell/heading";
import { locale, t } from "../../words/words";
import { CopyId } from "../account/copyid";
import { ModulePlace } from "../module/moduleplace";
import { greeting } from "./greeting";
import { w } from "./words";

/** Home: a greeting, what the module "home" shows, and a door to each module. */
export function HomeScreen({ app }: ScreenProps) {
	const navigation = app.navigation.value;
	if (navigation.is !== "ready") return null;
	const doors = doorsOf(navigation.view);
	const own = app.entry(homeModule);
	const now = new Date(app.clock.now());
	const name = app.data.account.value.value?.name ?? "";
	const day = { weekday: "long", day: "numeric", month: "long" } as const;
	return (
		<div class="home">
			<div class="greeting">
				<p class="muted">
					{new Intl.DateTimeFormat(locale.value.tag, day).format(now)}
				</p>
				<Heading title={greeting(now, name)} page={w("home")} />
			</div>
			{own && <ModulePlace app={app} entry={own} setTitle={() => undefined} />}
			{doors.length > 0 && <Doors app={app} entries={doors} />}
			{doors.length === 0 && own === undefined && (
				<EmptyState title={w("empty")} help={w("emptyHelp")} action={<CopyId app={app} named />} />
			)}
		</div>
	);
}

function Doors({ app, entries }: { readonly app: App; readonly entries: readonly NavigationEntry[] }) {
	return (
		<section>
			<h2>{t("modules")}</h2>
			<ul class="doorways">
				{entries.map(({ moduleId, name, ui }) => (
					<li key={moduleId}>
						<Link app={app} to={moduleHash(moduleId)} class="doorway">
							<Icon name={ui.icon ?? "door"} size={30} />
							<bdi>{name}</bdi>
						</Link>
					</li>
				))}
			</ul>
		</section>
	);
}
