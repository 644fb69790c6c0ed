import type { App } from "../app/app";
import { homeHash } from "../app/route";
import { permissionName } from "../words/permissions";
import { t } from "../words/words";
import { Link } from "./anchor";
import { Heading } from "./heading";

/** A screen for which the caller lacks the permission. */
export function NoAccess({ permission }: { readonly permission: string }) {
	return (
		<div class="d-card d-stack">
			<Heading title={t("dashboard")} unseen />
			<p role="alert">{t("noAccess", { permission: permissionName(permission) })}</p>
			<p>{t("accessWho")}</p>
		</div>
	);
}

/** An address that does not exist. */
export function NotFound({ app, words }: { readonly app: App; readonly words: string }) {
	return (
		<div class="d-stack">
			<Heading title={words} />
			<Link app={app} to={homeHash} class="d-button">
				{t("toHome")}
			</Link>
		</div>
	);
}
