import { Button } from "../../kit/button";
import { Icon } from "../../kit/icons";
import { Status } from "../../kit/status";
import type { App } from "../app/app";
import { useCalm } from "./calm";
import { t } from "../words/words";

/** Tells the person that the server has a newer Dashboard than this tab. */
export function NewVersionNotice({ app }: { readonly app: App }) {
	if (!useCalm(app, app.newVersion.here.value)) return null;
	return (
		<aside class="d-note d-banner-line" aria-label={t("newVersion")}>
			<Icon name="refresh" />
			<Status>{t("newVersion")}</Status>
			<Button kind="text" onPress={() => location.reload()}>
				{t("reload")}
			</Button>
		</aside>
	);
}
