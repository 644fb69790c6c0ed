import { Button } from "../../kit/button";
import { Icon } from "../../kit/icons";
import type { App } from "../app/app";
import { useCalm } from "./calm";
import { t } from "../words/words";

/** Tells the person that the server has a newer Dashboard than this tab. */
export function NewVersionNotice({ app }: { readonly app: App }) {
	if (!useCalm(app, app.newVersion.here.value)) return null;
	return (
		<aside class="d-note d-banner-line" aria-label={t("newVersion")}>
			<Icon name="refresh" />
			<p role="status">{t("newVersion")}</p>
			<Button kind="text" onPress={() => location.reload()}>
				{t("reload")}
			</Button>
		</aside>
	);
}
