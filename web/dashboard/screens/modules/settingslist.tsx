import { PageHeader, Tile } from "../../../kit/layout";
import { ListRow } from "../../../kit/table";
import type { App } from "../../app/app";
import { Link } from "../../shell/anchor";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded } from "../../shell/loaded";
import { t } from "../../words/words";
import { manageConfiguration } from "./permissions";
import { settingsHash } from "./state";
import { w } from "./words";

/** The modules for a person who may write their settings, but not switch them. */
export function ModuleSettingsList({ app }: { readonly app: App }) {
	const { configurations } = app.data;
	useLive(configurations);
	return (
		<Loaded resource={configurations} permission={manageConfiguration}>
			{({ modules }) => (
				<>
					<PageHeader
						heading={<Heading title={t("modules")} />}
						sub={w("installed", { count: modules.length })}
					/>
					<ul class="d-list">
						{modules.map(({ moduleId, name, version }) => (
							<ListRow
								key={moduleId}
								lead={<Tile icon={app.entry(moduleId)?.ui.icon ?? "door"} />}
								title={<bdi>{name}</bdi>}
								second={version}
							>
								<Link
									app={app}
									to={settingsHash(moduleId)}
									class="d-button d-text"
									label={w("settingsOf", { module: name })}
								>
									{w("settings")}
								</Link>
							</ListRow>
						))}
					</ul>
				</>
			)}
		</Loaded>
	);
}
