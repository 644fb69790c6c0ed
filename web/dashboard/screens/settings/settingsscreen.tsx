import type { ScreenProps } from "../../app/screen";
import { readConfiguration } from "../../data/configuration";
import { NotFound } from "../../shell/notfound";
import { useLive } from "../../shell/live";
import { Loaded, useResource } from "../../shell/loaded";
import { t } from "../../words/words";
import { holds, manageConfiguration, manageLifecycle } from "../modules/permissions";
import { SettingsForm } from "./settingsform";

/** W8: the settings of a module. The form is built from the module's declaration. */
export function SettingsScreen({ app, params }: ScreenProps) {
	const id = params["id"] ?? "";
	const resource = useResource(app, () => readConfiguration(app.platform, id), [id]);
	useLive(app.data.configurations);
	useLive(holds(app, manageLifecycle) ? app.data.lifecycle : undefined);
	if (resource.failed.value?.failure.code === "MODULE_NOT_INSTALLED")
		return <NotFound app={app} words={t("moduleNotThere")} />;
	return (
		<Loaded resource={resource} permission={manageConfiguration} form>
			{(view) => (
				<SettingsForm
					key={id}
					app={app}
					view={view}
					name={app.moduleName(id)}
					focus={params["key"]}
					reload={() => resource.load()}
				/>
			)}
		</Loaded>
	);
}
